package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// configShowOptions holds the options of `tasker config show`.
type configShowOptions struct {
	commands, origins bool
}

func newConfigShow(f *frame.Factory) *cobra.Command {
	o := &configShowOptions{}
	return f.Command(frame.Spec{
		Use: "show", Short: "Show the merged configuration, and which layer sets each value", Args: frame.Between(0, 0),
		Example: []string{
			"tasker config show", "tasker config show --json --jq .agentDefaults.lease", "tasker config show --commands   # everything that it can run",
		},
		Long: "With --json it prints the configuration itself, with null for keys that nobody sets. With --json --origins it prints it\n" +
			"as config, and as origins the layer, file and line of each key that is set.",
		Flags: []frame.Flag{
			frame.Bool(&o.origins, "origins", "with --json: also which layer sets each value, and where"),
			frame.Bool(&o.commands, "commands", "list every command that the configuration can run, and the line that asks for it"),
		},
	}, o.run)
}

func (o *configShowOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	warnings := serverWarnings(ctx, f)
	eff, disputed, err := f.Disputed(ctx)
	if err != nil {
		f.Warn(warnings)
		return err
	}
	warnings = append(warnings, words.Each(disputed, config.Warning.String)...)
	f.Warn(warnings)
	if o.commands {
		all := config.Commands(eff)
		return f.Answer(all, func() {
			for _, c := range all {
				f.Out.Printf("%s: %s  (%s)\n", c.Key, c.Command, originWords(c.Origin))
			}
			if len(all) == 0 {
				f.Say("The configuration runs no commands\n")
			}
		})
	}
	var answer any = shown{eff.Show(), warnings}
	if !o.origins {
		answer = eff.Merged()
	}
	return f.Answer(answer, func() { showValues(f, eff.Values()) })
}

// showValues prints a table of settings. On a narrow terminal the source of a setting goes on the line below it,
// because a truncated value is useless.
func showValues(f *frame.Factory, values []config.Value) {
	var rows [][]term.Span
	key, value, origin := 0, 0, 0
	for _, v := range values {
		rows = append(rows, []term.Span{{Text: v.Key}, {Text: string(v.Value)}, term.Faint.Of(originWords(v.Origin))})
		row := rows[len(rows)-1]
		key, value, origin = max(key, term.Columns(row[0].Text)), max(value, term.Columns(row[1].Text)), max(origin, term.Columns(row[2].Text))
	}
	if width := f.Out.Width; width <= 0 || key+value+origin+2*len(term.Gap) <= width {
		f.Out.Table([]term.Column{{Head: "KEY"}, {Head: "VALUE"}, {Head: "SET BY"}}, rows)
		return
	}
	for i, v := range values {
		f.Out.Line(term.Bold.Of(v.Key), term.Textf(" = %s", v.Value))
		if v.Origin.Layer != format.DefaultsLayer {
			f.Out.Line(term.Faint.Of("  set by "), rows[i][2])
		}
	}
	f.Out.Line(term.Faint.Of("A value without a source is the default."))
}

// shown is the answer of config show --origins: the configuration, the warnings of the server that commands use, and warnings about
// settings that the project's record does not let count.
type shown struct {
	config.Shown
	Warnings []string `json:"warnings"`
}

// serverWarnings returns the warnings of the server that commands use. The server may still run with the last good
// configuration while the files shown here are faulty.
func serverWarnings(ctx context.Context, f *frame.Factory) []string {
	out := []string{}
	if f.ServerURL() == "" {
		return out
	}
	c, err := f.Wiring.Dial(frame.Dialling{URL: f.ServerURL()})
	if err == nil {
		var said []string
		said, err = c.Ready(ctx)
		for _, w := range said {
			out = append(out, "the server at "+f.ServerURL()+" says: "+w)
		}
	}
	if err != nil {
		out = append(out, "the server cannot be asked about its configuration: "+fault.Of(err).Message)
	}
	return out
}

func originWords(o config.Origin) string {
	if o.File == nil {
		return string(o.Layer)
	}
	if o.RecordedAt != nil {
		return string(o.Layer) + ", recorded from " + *o.File + " at " + *o.RecordedAt
	}
	where := string(o.Layer) + " " + *o.File
	if o.Line != nil {
		where += fmt.Sprintf(":%d", *o.Line)
	}
	return where
}
