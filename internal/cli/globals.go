package cli

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

func globalFlags(f *frame.Factory, root *cobra.Command) {
	fs := root.PersistentFlags()
	fs.StringVarP(&f.Flags.Project, "project", "p", "", "the project (else TASKER_PROJECT, the configuration, the only one there is)")
	fs.StringVar(&f.Flags.Actor, "actor", "", "who acts (else TASKER_ACTOR, the configuration, your user name)")
	fs.BoolVar(&f.Flags.JSON, "json", false, "answer in JSON, errors too")
	fs.StringVar(&f.Flags.JQ, "jq", "", "answer with what this jq expression makes of the JSON")
	fs.StringVar(&f.Flags.Template, "template", "", "answer with what this Go template makes of the JSON: "+
		"helpers json, join, pluck, tablerow, tablerender, timeago, timefmt, truncate")
	fs.StringVar(&f.Flags.DB, "db", "", "the database: a path, or a postgres:// URL (else TASKER_DB)")
	fs.StringVar(&f.Flags.Server, "server", "", "go through the server at this URL (else TASKER_URL)")
	fs.StringVar(&f.Flags.Config, "config", "", "the configuration file (else TASKER_CONFIG, .tasker.json here or above)")
	frame.AddChoice(fs, &f.Flags.Color, "color", []string{"auto", "always", "never"}, "colours: auto, always or never")
	fs.BoolVar(&f.Flags.Quiet, "quiet", false, "say only what was asked for")
	fs.BoolVar(&f.Flags.Exact, "exact", false, "show exact times, not how long ago they were")
	fs.BoolVar(&f.Flags.NoPager, "no-pager", false, "never show a long answer in a pager (else TASKER_PAGER, PAGER, less)")
	fs.BoolP("help", "h", false, "show help")
	_ = root.RegisterFlagCompletionFunc("project", f.CompleteProjects)
	_ = root.MarkPersistentFlagFilename("config", "json")
}
