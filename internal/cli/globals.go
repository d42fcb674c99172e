package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
)

func globalFlags(f *frame.Factory, root *cobra.Command) {
	for _, add := range []frame.Flag{
		frame.StringP(&f.Flags.Project, "project", "p", "the project (else TASKER_PROJECT, the configuration, the only one there is)"),
		frame.String(&f.Flags.Actor, "actor", "who acts (else TASKER_ACTOR, the configuration, your user name)"),
		frame.Bool(&f.Flags.JSON, "json", "answer in JSON, errors too"),
		frame.String(&f.Flags.JQ, "jq", "answer with what this jq expression makes of the JSON"),
		frame.String(&f.Flags.Template, "template", "answer with what this Go template makes of the JSON: "+
			"helpers json, join, pluck, tablerow, tablerender, timeago, timefmt, truncate"),
		frame.String(&f.Flags.DB, "db", "the database: a path, or a postgres:// URL (else TASKER_DB)"),
		frame.String(&f.Flags.Server, "server", "go through the server at this URL (else TASKER_URL)"),
		frame.String(&f.Flags.Config, "config", "the configuration file (else TASKER_CONFIG, .tasker.json here or above)"),
		frame.OneOf(&f.Flags.Color, "color", []string{"auto", "always", "never"}, "colours: auto, always or never"),
		frame.Bool(&f.Flags.Quiet, "quiet", "say only what was asked for"),
		frame.Bool(&f.Flags.Exact, "exact", "show exact times, not how long ago they were"),
		frame.Bool(&f.Flags.NoPager, "no-pager", "never show a long answer in a pager (else TASKER_PAGER, PAGER, less)"),
		func(fs *pflag.FlagSet) { fs.BoolP("help", "h", false, "show help") },
		frame.Filename("config", "json"),
	} {
		add(root.PersistentFlags())
	}
	_ = root.RegisterFlagCompletionFunc("project", f.CompleteProjects)
}
