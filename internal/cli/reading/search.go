package reading

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/op"
	"tasker/internal/search"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// searchOptions holds the options of `tasker search`.
type searchOptions struct {
	in reading.SearchIn
	of narrowed
}

// NewSearch returns the command `tasker search`.
func NewSearch(f *frame.Factory) *cobra.Command {
	o, kinds := &searchOptions{}, frame.Candidates(reading.SearchKinds())
	return f.Command(frame.Spec{
		Use: "search QUERY", Short: op.Search.Op.Summary, Args: frame.Between(1, -1, "QUERY"),
		Example: []string{
			"tasker search parser",
			`tasker search '"off by one" parser'`,
			"tasker search internal/store --kind evidence",
			"tasker search v1.2 --json",
		},
		Long: "Every word must be found, in any order; words in quotes must follow one another, and so must the parts of a path,\n" +
			"an address or a version. The last word finds longer ones too, unless it stands in quotes. Case and accents do\n" +
			"not matter, and nothing else has a meaning of its own. Events are found by their kind, such as task.claimed. If -p\n" +
			"or the configuration names a project, only that one is searched; --all searches every project.",
		Flags: []frame.Flag{
			frame.OneOf(&o.in.Kind, "kind", kinds, "only hits of this kind: "+strings.Join(kinds, ", ")),
			frame.MaybeInt(&o.in.Limit, "limit", "how many hits of each kind to show, up to 1000 (default 50)"),
			o.of.flag(),
		},
	}, o.run)
}

func (o *searchOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if err := o.of.find(f); err != nil {
		return err
	}
	o.in.Q, o.in.Project = strings.Join(args, " "), o.of.slug
	out, err := frame.Call(ctx, f, op.Search, o.in)
	absent := o.of.absent(f, err)
	if absent {
		out = reading.SearchOut{Query: o.in.Q, Project: task.Opt(o.in.Project)}
	} else if err != nil {
		return err
	}
	return f.Answer(out, func() {
		showHits(f, out)
		o.of.say(f, absent)
	})
}

// showHits prints one line per hit, with the words of the query in bold, and the number of hits.
func showHits(f *frame.Factory, out reading.SearchOut) {
	q := search.Parse(out.Query)
	kinds, places := 0, 0
	for _, h := range out.Hits {
		kinds, places = max(kinds, term.Columns(string(h.Kind))), max(places, term.Columns(place(h)))
	}
	for _, h := range out.Hits {
		lead := term.Columns(term.Pad(string(h.Kind), kinds)) + places + 2*len(term.Gap)
		f.Out.Spans(term.Cyan.Of(term.Pad(string(h.Kind), kinds)), term.Textf(term.Gap), term.Bold.Of(term.Pad(place(h), places)), term.Textf(term.Gap))
		text := term.Inert(h.Text, false)
		if f.Out.Width > 0 {
			text = term.Cut(text, max(f.Out.Width-lead, 16))
		}
		f.Out.Line(marked(text, q)...)
	}
	if out.Total == 0 {
		f.Say("Nothing contains %s\n", strings.TrimSpace(out.Query))
		return
	}
	var counts []string
	for _, k := range reading.SearchKinds() {
		if n := *out.Counts.Of(k); n > 0 {
			counts = append(counts, words.Count(n, string(k), cmp.Or(plurals[k], string(k)+"s")))
		}
	}
	f.Say("%d of %d%s: %s\n", len(out.Hits), out.Total, words.When(out.TotalMore, "+"), strings.Join(counts, ", "))
}

// place returns where a hit was found: its task, or its project.
func place(h search.Hit) string {
	return cmp.Or(string(h.Task), string(h.Project))
}

// plurals are the plurals of kinds that do not just add an s.
var plurals = map[search.Kind]string{search.Body: "bodies", search.Evidence: "evidence", search.Log: "log entries"}

// marked returns a text with the words of the query in bold.
func marked(text string, q search.Query) []term.Span {
	var out []term.Span
	at := 0
	for _, m := range q.Marks(text) {
		out = append(out, term.Span{Text: text[at:m.Start]}, term.Bold.Of(text[m.Start:m.End]))
		at = m.End
	}
	return append(out, term.Span{Text: text[at:]})
}
