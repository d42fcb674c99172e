package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/event/eventtext"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/markdown"
	"tasker/internal/text/words"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/chart"
	"tasker/internal/views/reading"
)

// funcs returns the template functions.
func (s *site) funcs() template.FuncMap {
	return template.FuncMap{
		"asset":       assetPath,
		"glyph":       glyph,
		"word":        chart.Word,
		"sortWord":    sortWord,
		"short":       short,
		"lane":        func(y int) int { return y - 4 },
		"when":        s.when,
		"eventText":   eventtext.Of,
		"kindWord":    eventtext.Kind,
		"with_":       withParam,
		"web":         webAddress,
		"sum":         task.Counts.Total,
		"closed":      func(c task.Counts) int { return c.Done + c.Cancelled },
		"started":     func(c task.Counts) int { return c.Done + c.Cancelled + c.InProgress + c.InReview },
		"percent":     percent,
		"count":       count,
		"capital":     capital,
		"plural":      plural,
		"number":      func(n *int) int { return *n },
		"dict":        dict,
		"inc":         func(n int) int { return n + 1 },
		"add":         func(a, b int) int { return a + b },
		"resting":     task.Resting,
		"doubts":      task.Doubts,
		"checked":     func(c []task.Criterion) int { return task.ProgressOf(c).Checked },
		"deeds":       deeds,
		"details":     details,
		"newest":      newest,
		"kindWords":   kindWords,
		"valueWords":  merge.Words,
		"forWhom":     forWhom,
		"due":         s.due,
		"week":        s.week,
		"prose":       s.prose,
		"closedTask":  task.Status.Closed,
		"stateOf":     picture.StateOf,
		"fresh":       fresh,
		"leaseBar":    s.leaseBar,
		"lasted":      chart.Lasted,
		"quiet":       s.quiet,
		"laneEmpty":   laneEmpty,
		"marked":      marked,
		"said":        said,
		"markdown":    func(slug string, text any) []block { return headed(markdown.Read(fmt.Sprint(text), slug)) },
		"inline":      inline,
		"proofs":      proofs,
		"offer":       offer,
		"tabs":        tabsOf,
		"moreTabs":    moreTabsOf,
		"moreName":    moreName,
		"uncommitted": func(w *bundle.Workspace) bool { return w.Dirty != nil && *w.Dirty },
		"spaces":      func(v any) string { return strings.ReplaceAll(fmt.Sprint(v), "_", " ") },
	}
}

// laidOut are the labels of the details that a task's page shows in its own layout.
var laidOut = []string{"due", "autonomy", "preferred", "may execute", "touches"}

// details returns the other details of a task.
func details(t *task.Task) []task.Detail {
	return slices.DeleteFunc(t.Details(), func(d task.Detail) bool { return slices.Contains(laidOut, d.Label) })
}

// glyph distinguishes a status without colour.
func glyph(status any) string {
	return cmp.Or(glyphs[fmt.Sprint(status)], "·")
}

var glyphs = map[string]string{
	"open": "○", "ready": "▷", "waiting": "…", "asked": "?", "in_progress": "◐", "held": "◐", "unheld": "◌", "in_review": "◇", "done": "✓",
	"cancelled": "✕", "needs_answer": "?", "stuck": "⚠",
}

// moment is a time as a page shows it: in words, with the exact time.
type moment struct{ ISO, Text string }

func (s *site) when(t task.Time) moment {
	if t == 0 {
		return moment{}
	}
	return moment{t.String(), chart.Relative(t.Go().Sub(s.Now()))}
}

// withParam returns an address with one parameter changed; an empty value removes it.
func withParam(address, name string, value any) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	q := u.Query()
	if v := fmt.Sprint(value); v == "" {
		q.Del(name)
	} else {
		q.Set(name, v)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// webAddress returns v if it is the address of a web page, or "".
func webAddress(v any) string {
	text := fmt.Sprint(v)
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return text
}

func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return part * 100 / whole
}

// count formats a number with thousands separators.
func count(v any) string {
	text := fmt.Sprint(v)
	if f, ok := v.(float64); ok {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	return words.Thousands(text)
}

// plural returns a number with its noun in the right form.
func plural(n any, one, many string) string {
	text := count(n)
	return text + " " + words.Either(text == "1", one, many)
}

// dict builds the arguments of a template.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// block is a part of somebody's text; headings have their place in the outline of the page.
type block struct {
	markdown.Block
	Outline int
}

// headed places the headings of a text below the second-level heading of its section. Whatever levels the text has, none
// is skipped.
func headed(blocks []markdown.Block) []block {
	out := make([]block, len(blocks))
	var above []int // the levels of the headings around the current one
	for i, b := range blocks {
		out[i].Block = b
		if b.Kind != "h" {
			continue
		}
		for len(above) > 0 && above[len(above)-1] >= b.Level {
			above = above[:len(above)-1]
		}
		above = append(above, b.Level)
		out[i].Outline = min(2+len(above), 6)
	}
	return out
}

// inline splits a text of one line, such as a title, at its backticks: what stands between two of them is code. Nothing
// else is Markdown there.
func inline(text any) (out []markdown.Span) {
	line := fmt.Sprint(text)
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 { // one of them is alone
		return []markdown.Span{{Text: line}}
	}
	for i, part := range parts {
		if part != "" {
			out = append(out, markdown.Span{Text: part, Code: i%2 == 1})
		}
	}
	return out
}

// shellQuote quotes a value as one word of a shell command.
func shellQuote(v any) string { return words.Shell(fmt.Sprint(v)) }

// deeds lists in words how much one actor of a briefing did.
func deeds(d inbox.Deeds) (out []string) {
	for _, x := range []struct {
		say  string
		list []inbox.Deed
	}{
		{"closed", d.Closed}, {"by force", d.Forced}, {"reopened", d.Reopened}, {"let lapse", d.Lapsed}, {"sent back", d.SentBack}, {"asked", d.Asked},
	} {
		if len(x.list) > 0 {
			out = append(out, x.say+" "+count(len(x.list)))
		}
	}
	return out
}

// offer returns a command that changes a project, or "" if the project is archived and would refuse it.
func offer(p *reading.ProjectOut, command string) string {
	return words.When(p != nil && !p.Archived, command)
}

// forWhom says in words who an item is addressed to; "" if any human will do.
func forWhom(who string) string {
	who = strings.NewReplacer("role:", "a ", "actor:", "").Replace(who)
	return words.When(who != "human", who)
}

// leaseBar returns how much of a lease has passed, in percent; nil if it does not run out.
func (s *site) leaseBar(l reading.Lease) *int {
	if l.LeaseMs <= 0 || l.ExpiresAt == 0 {
		return nil
	}
	left := l.ExpiresAt.Go().Sub(s.Now()).Milliseconds()
	return new(int(min(100, max(0, 100-100*left/l.LeaseMs))))
}

// tab is an entry of the navigation.
type tab struct {
	Name, Path string
	pages      []string // the pages for which it is the current tab
	Current    bool
}

// tabs are the pages of a project that everybody needs; moreTabs are those behind a menu.
var (
	tabs = []tab{
		{"Overview", "", []string{"overview"}, false}, {"Inbox", "/inbox", []string{"inbox"}, false}, {"Board", "/board", []string{"board"}, false},
		{"Graph", "/graph", []string{"graph"}, false}, {"Work", "/work", []string{"work", "bottlenecks"}, false},
		{"Timeline", "/timeline", []string{"timeline"}, false}, {"Tasks", "/tasks", []string{"tasks"}, false},
	}
	moreTabs = []tab{
		{"Workers", "/machine", []string{"machine"}, false}, {"Proof", "/proof", []string{"proof"}, false},
		{"Events", "/events", []string{"events"}, false}, {"Sync", "/sync", []string{"sync"}, false},
		{"Conflicts", "/conflicts", []string{"conflicts"}, false},
	}
)

func tabsOf(page string) []tab { return currentOf(tabs, page) }

// moreTabsOf omits the pages about other systems if a project is linked to none.
func moreTabsOf(page string, linked bool) []tab {
	return slices.DeleteFunc(currentOf(moreTabs, page), func(t tab) bool {
		return !linked && !t.Current && (t.Path == "/sync" || t.Path == "/conflicts")
	})
}

func currentOf(all []tab, page string) []tab {
	out := slices.Clone(all)
	for i := range out {
		out[i].Current = slices.Contains(out[i].pages, page)
	}
	return out
}

// moreName returns the name of the menu of further pages: the current page if it is one of them.
func moreName(page string) string {
	if at := slices.IndexFunc(moreTabs, func(t tab) bool { return slices.Contains(t.pages, page) }); at >= 0 {
		return moreTabs[at].Name
	}
	return "More"
}

// newest reverses events, so that the newest come first.
func newest(events []task.Event) []task.Event {
	out := slices.Clone(events)
	slices.Reverse(out)
	return out
}
