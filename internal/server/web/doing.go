package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/inbox"
	"tasker/internal/inbox/waiting"
	"tasker/internal/picture/chart"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// need is an inbox item with the commands that settle it, or several alike that one command settles.
type need struct {
	inbox.Item
	New      bool     // past the reader's mark
	Headline string   // what is asked, where the title of the task is not it
	Commands []string // the first is the one to use
	Alike    []inbox.Item
}

// needSection is the items of one urgency.
type needSection struct {
	Name  string
	Needs []need
}

// Total returns how many items a section has, those that stand in one row included.
func (s needSection) Total() (n int) {
	for _, one := range s.Needs {
		n += max(1, len(one.Alike))
	}
	return n
}

// sections are the urgencies in the order in which a person should look at them.
var sections = []struct {
	name  string
	kinds []waiting.ItemKind
}{
	{"Questions to you", []waiting.ItemKind{waiting.ItemQuestion}},
	{"Approvals", []waiting.ItemKind{waiting.ItemApproval, waiting.ItemVerification}},
	{"Reviews", []waiting.ItemKind{waiting.ItemReview}},
	{"Stalled", []waiting.ItemKind{waiting.ItemStalled, waiting.ItemUnheld, waiting.ItemLapse, waiting.ItemFailing}},
	{"Other systems", []waiting.ItemKind{waiting.ItemDivergence, waiting.ItemSyncFailed}},
	{closedSection, []waiting.ItemKind{waiting.ItemOverride}},
}

const closedSection = "Closed, to look at"

// sectionOf returns where an item stands: a review of what is closed already is no hurry.
func sectionOf(it inbox.Item) int {
	if it.Kind == waiting.ItemReview && it.Status.Closed() {
		return len(sections) - 1
	}
	for i, s := range sections {
		if slices.Contains(s.kinds, it.Kind) {
			return i
		}
	}
	return len(sections) - 1
}

// needsOf sorts items into sections, in the order that they have, and makes one of those that one command puts away.
func needsOf(items []need) (out []needSection) {
	by := make([][]need, len(sections))
	for _, n := range items {
		at := sectionOf(n.Item)
		n.Headline, n.Commands = headline(n.Item), doing(n.Item)
		if like := slices.IndexFunc(by[at], func(o need) bool { return alike(o.Item, n.Item) }); like >= 0 {
			one := &by[at][like]
			if one.Alike == nil {
				one.Alike = []inbox.Item{one.Item}
			}
			one.Alike = append(one.Alike, n.Item)
			one.Commands = []string{away(one.Alike...)}
			continue
		}
		by[at] = append(by[at], n)
	}
	for i, needs := range by {
		if len(needs) > 0 {
			out = append(out, needSection{sections[i].name, needs})
		}
	}
	return out
}

// head returns the items of the first rows.
func head(items []inbox.Item, rows int) (out []inbox.Item) {
	var first []inbox.Item // of each row
	for _, it := range items {
		with := slices.ContainsFunc(first, func(o inbox.Item) bool { return alike(o, it) })
		if !with && len(first) == rows {
			continue
		}
		if !with {
			first = append(first, it)
		}
		out = append(out, it)
	}
	return out
}

// alike reports whether one command puts both items away. What has to be decided one by one is never alike.
func alike(a, b inbox.Item) bool {
	ack := func(it inbox.Item) bool {
		return it.Kind == waiting.ItemOverride || it.Kind == waiting.ItemLapse || it.Kind == waiting.ItemReview && it.Status.Closed()
	}
	return ack(a) && ack(b) && a.Kind == b.Kind && a.Project == b.Project
}

// headline returns the question that an item is about, "" for any other.
func headline(it inbox.Item) string {
	if it.Kind != waiting.ItemQuestion {
		return ""
	}
	_, text, _ := strings.Cut(it.Why, " asks: ")
	return text
}

// away returns the command that puts items away.
func away(items ...inbox.Item) string {
	return "tasker inbox ack " + strings.Join(words.Each(items, func(it inbox.Item) string { return shellQuote(it.ID) }), " ")
}

// doing returns the commands that see to an inbox item, the one to use first. None of them would be refused for the state
// that the item tells of.
func doing(it inbox.Item) []string {
	id := shellQuote(it.Task)
	var back []string
	if it.Status == task.InReview {
		back = []string{"tasker return " + id + " --because 'TEXT'"}
	}
	switch it.Kind {
	case waiting.ItemApproval:
		return append([]string{"tasker approve " + id + role(it.For)}, back...)
	case waiting.ItemVerification:
		return append([]string{"tasker approve " + id + role(it.For) + " --kind verification"}, back...)
	case waiting.ItemReview:
		switch {
		case it.Status.Closed():
			return []string{away(it), "tasker reopen " + id}
		case it.Status != task.InReview: // it is closed elsewhere, and something is missing here
			return []string{"tasker explain " + id}
		}
		return judging(id, it.Left, back)
	case waiting.ItemQuestion: // whose number is that of its event
		return []string{"tasker answer " + it.ID[strings.LastIndexByte(it.ID, ':')+1:] + " 'TEXT'"}
	case waiting.ItemDivergence:
		return []string{"tasker conflicts -p " + shellQuote(it.Project)}
	case waiting.ItemSyncFailed:
		return []string{"tasker sync log -p " + shellQuote(it.Project)}
	case waiting.ItemStalled:
		return []string{"tasker release " + id}
	case waiting.ItemUnheld:
		return []string{"tasker reopen " + id}
	case waiting.ItemOverride, waiting.ItemLapse, waiting.ItemFailing:
		return []string{away(it)}
	}
	return nil
}

// judging returns the commands for a task in review. What was handed over unfinished goes back first; who finds its criteria true
// ticks them and writes the note that is asked for, if nothing else is missing.
func judging(id string, left task.Obstacles, back []string) []string {
	if len(left.Missing()) == 0 {
		return append([]string{"tasker done " + id}, back...)
	}
	ticks := words.Each(left.Criteria, func(c task.Criterion) string { return strconv.Itoa(c.Index) })
	done := "tasker done " + id + words.When(len(ticks) > 0, " --check "+strings.Join(ticks, ",")) + words.When(left.Note, " --note 'TEXT'")
	left.Criteria, left.Note = nil, false
	if len(left.Missing()) > 0 {
		return back
	}
	return append(back, done)
}

// role returns the flag for the role that an item is for.
func role(who string) string {
	for part := range strings.SplitSeq(who, ",") {
		if name, ok := strings.CutPrefix(part, "role:"); ok {
			return " --role " + shellQuote(name)
		}
	}
	return ""
}

// fromEstate returns the inbox items of an estate.
func fromEstate(items []inbox.EstateItem) (needs []need, ready []inbox.EstateItem) {
	for _, it := range items {
		if it.Kind == inbox.KindReady {
			ready = append(ready, it)
			continue
		}
		needs = append(needs, need{New: it.New, Item: inbox.Item{
			ID: it.ID, Kind: waiting.ItemKind(it.Kind), Project: it.Project, Task: it.Task, Title: it.Title, Status: it.Status, For: it.For, Why: it.Why,
			Since: it.Since, Event: it.Event, Seen: it.Seen, Unblocks: it.Unblocks, Left: it.Left,
		}})
	}
	if !slices.ContainsFunc(needs, func(n need) bool { return !n.New }) {
		for i := range needs {
			needs[i].New = false // a mark on every row tells nothing
		}
	}
	return needs, ready
}

// fromInbox returns the items of an inbox.
func fromInbox(items []inbox.Item) []need {
	out := make([]need, len(items))
	for i, it := range items {
		out[i] = need{Item: it}
	}
	return out
}

// kindWords says in few words what an item is.
func kindWords(it inbox.Item) string {
	if it.Kind == waiting.ItemReview && it.Status.Closed() {
		return "closed"
	}
	return cmp.Or(map[waiting.ItemKind]string{
		waiting.ItemApproval: "approval", waiting.ItemVerification: "verification", waiting.ItemQuestion: "question", waiting.ItemLapse: "lease ran out",
		waiting.ItemUnheld: "nobody holds it", waiting.ItemOverride: "forced", waiting.ItemDivergence: "disagreement", waiting.ItemSyncFailed: "not written",
	}[it.Kind], chart.Word(it.Kind))
}
