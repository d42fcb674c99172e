package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/op"
	"tasker/internal/search"
	"tasker/internal/view"
)

func (f *factory) newSearch() *cobra.Command {
	var in view.SearchIn
	var limit intFlag[int]
	kind := oneOf("", view.SearchKinds())
	cmd := f.command(spec{
		use: "search QUERY", short: op.Search.Summary, args: between(1, -1, "QUERY"),
		example: []string{"tasker search parser", `tasker search '"off by one" parser'`, "tasker search internal/store --kind evidence", "tasker search v1.2 --json"},
		long: "Every word must be found, in any order; words in quotes must follow one another, and so must the parts of a path,\n" +
			"an address or a version. The last word finds longer ones too, unless it stands in quotes. Case and accents do\n" +
			"not matter, and nothing else has a meaning of its own. Without -p and without a configured project, every\nproject is searched.",
	}, func(ctx context.Context, f *factory, args []string) (err error) {
		if in.Project, err = f.project(); err != nil {
			return err
		}
		in.Q, in.Kind, in.Limit = strings.Join(args, " "), kind.value, limit.n
		return do(ctx, f, op.Search, in, (*factory).showHits)
	})
	fs := cmd.Flags()
	fs.Var(kind, "kind", "only hits of this kind: "+strings.Join(kind.of, ", "))
	fs.Var(&limit, "limit", "how many hits of each kind to show, up to 1000 (default 50)")
	return cmd
}

// showHits prints a line for each hit, with the words that were asked for set off, and how many there are.
func (f *factory) showHits(out view.SearchOut) {
	q := search.Parse(out.Query)
	kinds, places := 0, 0
	for _, h := range out.Hits {
		kinds, places = max(kinds, columns(string(h.Kind))), max(places, columns(place(h)))
	}
	for _, h := range out.Hits {
		lead := columns(pad(string(h.Kind), kinds)) + places + 2*len(gap)
		f.out.Spans(span{pad(string(h.Kind), kinds), cyan}, txt(gap), span{pad(place(h), places), bold}, txt(gap))
		text := inert(h.Text, false)
		if f.out.columns() > 0 {
			text = cut(text, max(f.out.columns()-lead, 16))
		}
		f.out.Spans(marked(text, q)...)
		f.out.Printf("\n")
	}
	if out.Total == 0 {
		f.say("Nothing has %s in it\n", strings.TrimSpace(out.Query))
		return
	}
	var counts []string
	for _, k := range view.SearchKinds() {
		if n := *out.Counts.Of(k); n > 0 {
			counts = append(counts, count(n, string(k), plural(k)))
		}
	}
	f.say("%d of %d: %s\n", len(out.Hits), out.Total, strings.Join(counts, ", "))
}

// place is where a hit was found: its task, or its project.
func place(h search.Hit) string {
	if h.Task != "" {
		return string(h.Task)
	}
	return h.Project
}

func plural(k search.Kind) string {
	switch k {
	case search.Body:
		return "bodies"
	case search.Evidence:
		return "evidence"
	case search.Log:
		return "log entries"
	default:
		return string(k) + "s"
	}
}

// marked is a text with the query's words in another style.
func marked(text string, q search.Query) []span {
	var out []span
	at := 0
	for _, m := range q.Marks(text) {
		out = append(out, span{text: text[at:m.Start]}, span{text[m.Start:m.End], bold})
		at = m.End
	}
	return append(out, span{text: text[at:]})
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-columns(s))) }
