package frame

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// completionTime is how long a shell waits for candidates.
const completionTime = 2 * time.Second

// maxOffered is the most tasks that a completion offers, and among which a refusal looks for the one that was meant.
const maxOffered = 200

// InTurn offers the candidates of one source for each argument in turn, and none after the last.
func InTurn(sources ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(sources) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return sources[len(args)](cmd, args, typed)
	}
}

// Offering offers a few words that are known beforehand.
func Offering[T ~string](all []T) cobra.CompletionFunc {
	return cobra.FixedCompletions(Candidates(all), cobra.ShellCompDirectiveNoFileComp)
}

// Completing offers shells candidates for a word, from the current state of the database.
type Completing struct{ f *Factory }

// Completing returns the source of candidates.
func (f *Factory) Completing() Completing { return Completing{f} }

// Tasks offers the tasks of the project wherever a task is expected: by id with the title, or by key if a key begins
// with the typed text.
func (c Completing) Tasks(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return c.ofProject(cmd, cobra.ShellCompDirectiveKeepOrder, func(ctx context.Context, project string) (offers []string, _ error) {
		out, err := Call(ctx, c.f, op.List, reading.ListIn{Project: project, Q: typed, Limit: new(maxOffered)})
		for _, t := range out.Tasks {
			name := string(t.ID)
			if !strings.HasPrefix(name, typed) && strings.HasPrefix(t.Key, typed) {
				name = t.Key
			}
			offers = offer(offers, name, t.Title)
		}
		return offers, err
	})
}

// ofProject offers what ask finds in the project. It offers nothing if ask fails or if the project is ambiguous.
func (c Completing) ofProject(
	cmd *cobra.Command, how cobra.ShellCompDirective, ask func(ctx context.Context, slug string) ([]string, error),
) ([]string, cobra.ShellCompDirective) {
	return c.f.offering(cmd, how, func(ctx context.Context) ([]string, error) {
		slug, err := c.f.OneProject(ctx)
		if err != nil {
			return nil, err
		}
		return ask(ctx, slug)
	})
}

// offering offers what ask finds in the time that a shell waits, and nothing if it fails. It silences notices, which would
// disturb the line that a person is typing.
func (f *Factory) offering(
	cmd *cobra.Command, how cobra.ShellCompDirective, ask func(context.Context) ([]string, error),
) ([]string, cobra.ShellCompDirective) {
	f.Flags.JSON = true
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	offers, err := ask(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | how
}

// Gates offers the gates in force in the project, with the evidence that each requires.
func (c Completing) Gates(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return c.ofProject(cmd, 0, func(ctx context.Context, slug string) (offers []string, _ error) {
		p, err := Call(ctx, c.f, op.Project, core.ProjectIn{Slug: slug})
		if err != nil {
			return nil, err
		}
		for _, g := range p.GatesInForce {
			offers = offer(offers, g.Name, words.List(g.Requires))
		}
		return offers, nil
	})
}

// Evidence offers the kinds of evidence that the project's gates require.
func (c Completing) Evidence(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return c.ofProject(cmd, 0, func(ctx context.Context, slug string) (offers []string, _ error) {
		p, err := Call(ctx, c.f, op.Project, core.ProjectIn{Slug: slug})
		if err != nil {
			return nil, err
		}
		for _, g := range p.GatesInForce {
			for _, k := range g.Requires {
				offers = offer(offers, k, "")
			}
		}
		slices.Sort(offers)
		return slices.Compact(offers), nil
	})
}

// EvidenceItem offers the same kinds, followed by the separator of KIND=VALUE.
func (c Completing) EvidenceItem(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	kinds, _ := c.Evidence(cmd, args, typed)
	return words.Each(kinds, func(kind string) string { return kind + "=" }), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// Actors offers the actors that work in the project, holders first, and the ones that its configuration declares.
func (c Completing) Actors(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return c.ofProject(cmd, cobra.ShellCompDirectiveKeepOrder, func(ctx context.Context, slug string) (offers []string, _ error) {
		var names []string
		out, _ := Call(ctx, c.f, op.Machine, reading.ProjectIn{Slug: slug})
		for _, a := range out.Actors {
			names = append(names, a.Actor)
			offers = offer(offers, a.Actor, a.Kind+", holds "+words.Count(len(a.Holding), "task", "tasks"))
		}
		if eff, err := c.f.Effective(ctx); err == nil {
			for _, a := range eff.Config.Actors {
				if !slices.Contains(names, a.Name) {
					offers = offer(offers, a.Name, a.Kind)
				}
			}
		}
		return offers, nil
	})
}

// Items offers the items in the inbox.
func (c Completing) Items(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return c.ofProject(cmd, cobra.ShellCompDirectiveKeepOrder, func(ctx context.Context, slug string) (offers []string, _ error) {
		out, err := Call(ctx, c.f, op.Inbox, inbox.InboxIn{Slug: slug})
		for _, i := range out.Items {
			offers = offer(offers, i.ID, i.Title)
		}
		return offers, err
	})
}

// offer appends a candidate with its description. It leaves out a name that a shell might take for more than one word:
// completion scripts handle names that others wrote, and a key may be any text.
func offer(offers []string, name, about string) []string {
	if name == "" || name[0] == '-' || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._:/@+-", r)
	}) {
		return offers
	}
	about = term.Inert(about, false)
	return append(offers, name+words.When(about != "", "\t"+about))
}

// CompleteProjects offers the projects.
func (f *Factory) CompleteProjects(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return f.offering(cmd, 0, func(ctx context.Context) (offers []string, _ error) {
		all, err := Call(ctx, f, op.Projects, core.None{})
		for _, p := range all {
			offers = offer(offers, p.Slug, string(p.Name))
		}
		return offers, err
	})
}

// Candidates returns words as completion candidates.
func Candidates[T ~string](all []T) []string {
	return words.Each(all, func(a T) string { return string(a) })
}
