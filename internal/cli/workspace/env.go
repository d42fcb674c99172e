package workspace

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/machine"
)

// envOptions holds the options of `tasker workspace env`.
type envOptions struct {
	explain bool
	format  string
	fence   *int64
}

func newEnv(f *frame.Factory) *cobra.Command {
	o := &envOptions{format: envtext.Shell}
	return f.Command(frame.Spec{
		Use: "env [ID]", Short: "Print the environment of a workspace", IDs: true, Args: frame.Between(0, 1),
		Example: []string{
			"tasker workspace env demo-4 --format dotenv > .env", `set -a; eval "$(tasker workspace env demo-4)"; set +a`,
			"tasker workspace env demo-4 --explain   # who provides what, without the values",
		},
		Flags: []frame.Flag{
			frame.Bool(&o.explain, "explain", "show which provider gives which variable, with the values masked"),
			frame.OneOf(&o.format, "format", envtext.Formats, "how it is written"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *envOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.format == envtext.JSON {
		f.PrintsDocument()
	}
	return acting(ctx, f, frame.OrCurrent(args), o.fence, workspace.ToRead, func(ctx context.Context, m *machine.Manager, v workspace.View) error {
		values, err := m.ValuesOf(ctx, v)
		if err != nil {
			return err
		}
		if o.explain {
			return explain(f, values)
		}
		text, err := envtext.Format(values, words.Either(f.Flags.JSON, envtext.JSON, o.format))
		if err != nil {
			return err
		}
		if f.Flags.JSON {
			return f.Document([]byte(strings.TrimSuffix(text, "\n")))
		}
		f.Out.ForProgram(strings.TrimSuffix(text, "\n") + "\n")
		return nil
	})
}

// explained is a variable without its value.
type explained struct {
	Key  string `json:"key"`
	From string `json:"from"`
	Over string `json:"over,omitzero"`
}

func explain(f *frame.Factory, values []envtext.Variable) error {
	out := make([]explained, len(values))
	for i, v := range values {
		out[i] = explained{v.Name, v.From, v.Over}
	}
	return f.Answer(out, func() {
		f.Out.Table([]term.Column{{Head: "KEY"}, {Head: "VALUE"}, {Head: "FROM"}, {Head: "IN PLACE OF"}}, term.Rows(out, func(e explained) []term.Span {
			return []term.Span{{Text: e.Key}, {Text: "••••"}, {Text: e.From}, {Text: e.Over}}
		}))
	})
}
