package web

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/inbox"
	"tasker/internal/task/waiting"
	"tasker/internal/views/picture/chart"
)

// need is an inbox item with the commands that settle it, or several similar items that one command settles.
type need struct {
	inbox.Item
	New      bool     // newer than the reader's mark
	HoldsUp  *int     // how many open tasks wait for its task, directly or not; nil if that was not counted
	Headline string   // the question, if the title of the task does not ask it
	Commands []string // the recommended one first
	Alike    []inbox.Item
	Disputes []dispute // with another system about the task, one per field
}

// dispute is a field on which another system disagrees, with the commands that settle it.
type dispute struct {
	inbox.Dispute
	Commands []string
}

// needSection is the items of one urgency.
type needSection struct {
	Name  string
	Needs []need
}

// Total returns how many items a section has, including those that share a row.
func (s needSection) Total() (n int) {
	for _, one := range s.Needs {
		n += max(1, len(one.Alike), len(one.Disputes))
	}
	return n
}

// sections are the urgencies in the order in which a person should look at them.
var sections = []struct {
	name  string
	kinds []waiting.ItemKind
}{
	{"Questions", []waiting.ItemKind{waiting.ItemQuestion, waiting.ItemAsked}},
	{"Approvals", []waiting.ItemKind{waiting.ItemApproval, waiting.ItemVerification}},
	{"Reviews", []waiting.ItemKind{waiting.ItemReview}},
	{"In trouble", []waiting.ItemKind{waiting.ItemStalled, waiting.ItemUnheld, waiting.ItemLapse, waiting.ItemFailing, waiting.ItemRunner}},
	{"Other systems", []waiting.ItemKind{waiting.ItemDivergence, waiting.ItemSyncFailed}},
	{closedSection, []waiting.ItemKind{waiting.ItemOverride}},
}

const closedSection = "Closed, to look at"

// sectionOf returns the section of an item: the review of a closed task is not urgent.
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

// sameRow reports whether two items share a row: one command puts them away, or they are disagreements about one task.
func sameRow(a, b inbox.Item) bool {
	return inbox.Alike(a, b) || a.Dispute != nil && b.Dispute != nil && a.Task == b.Task
}

// needsOf sorts items into sections, keeping their order, and merges items that share a row.
func needsOf(items []need) (out []needSection) {
	by := make([][]need, len(sections))
	for _, n := range items {
		at := sectionOf(n.Item)
		n.Headline, n.Commands, n.Why = headline(n.Item), n.Settle, n.Asks()
		if n.Kind == waiting.ItemUnheld {
			n.Why = "" // the mark says it
		}
		if n.Dispute != nil {
			n.Disputes, n.Commands = []dispute{{*n.Dispute, n.Settle}}, nil
		}
		if like := slices.IndexFunc(by[at], func(o need) bool { return sameRow(o.Item, n.Item) }); like >= 0 {
			one := &by[at][like]
			if n.Dispute != nil {
				one.Disputes = append(one.Disputes, n.Disputes...)
				continue
			}
			if one.Alike == nil {
				one.Alike = []inbox.Item{one.Item}
			}
			one.Alike = append(one.Alike, n.Item)
			one.Commands = []string{inbox.Together(one.Alike)}
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
	var first []inbox.Item // the first item of each row
	for _, it := range items {
		if !slices.ContainsFunc(first, func(o inbox.Item) bool { return sameRow(o, it) }) {
			if len(first) == rows {
				continue
			}
			first = append(first, it)
		}
		out = append(out, it)
	}
	return out
}

// headline returns the question that an item is about, or "" for other items.
func headline(it inbox.Item) string {
	if !it.Kind.Asks() {
		return ""
	}
	_, text, _ := strings.Cut(it.Why, " asks: ")
	return text
}

// fromEstate returns the inbox items of an estate.
func fromEstate(items []inbox.EstateItem) (needs []need, ready []inbox.EstateItem) {
	for _, it := range items {
		if it.Kind == inbox.KindReady {
			ready = append(ready, it)
			continue
		}
		needs = append(needs, need{New: it.New, Item: it.Waits()})
	}
	if !slices.ContainsFunc(needs, func(n need) bool { return !n.New }) {
		for i := range needs {
			needs[i].New = false // a mark on every row says nothing
		}
	}
	return needs, ready
}

// fromInbox returns the items of an inbox.
func fromInbox(items []inbox.Item) []need {
	out := make([]need, len(items))
	for i, it := range items {
		if out[i].Item = it; it.Frees != nil {
			out[i].HoldsUp = &it.Frees.InAll
		}
	}
	return out
}

// kindWords says briefly what an item is.
func kindWords(it inbox.Item) string {
	if it.Kind == waiting.ItemReview && it.Status.Closed() {
		return "closed"
	}
	return cmp.Or(map[waiting.ItemKind]string{
		waiting.ItemApproval: "approval", waiting.ItemVerification: "verification", waiting.ItemQuestion: "question", waiting.ItemAsked: "question", waiting.ItemLapse: "lease ran out",
		waiting.ItemUnheld: "nobody holds it", waiting.ItemOverride: "forced", waiting.ItemDivergence: "disagreement", waiting.ItemSyncFailed: "not written",
		waiting.ItemRunner: "runner stopped",
	}[it.Kind], chart.Word(it.Kind))
}
