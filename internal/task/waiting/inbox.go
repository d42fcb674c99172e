// Package waiting names what waits for people: the kinds of waiting that the store finds, and the items that people see.
package waiting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// ItemKind is what an inbox item asks for.
type ItemKind string

// The kinds of inbox items.
const (
	ItemApproval     ItemKind = "approval_requested"
	ItemVerification ItemKind = "verification_requested"
	ItemReview       ItemKind = "review"
	ItemQuestion     ItemKind = "blocking_question"
	ItemAsked        ItemKind = "question" // it blocks nothing
	ItemDivergence   ItemKind = "divergence"
	ItemOverride     ItemKind = "override"
	ItemLapse        ItemKind = "lease_expired"
	ItemStalled      ItemKind = "stalled"
	ItemUnheld       ItemKind = "unheld"
	ItemFailing      ItemKind = "failing"
	ItemRunner       ItemKind = "runner" // it stopped by itself
	ItemSyncFailed   ItemKind = "sync_failed"
)

// ItemKinds lists every kind of inbox item.
var ItemKinds = []ItemKind{
	ItemApproval, ItemVerification, ItemReview, ItemQuestion, ItemAsked, ItemDivergence, ItemOverride, ItemLapse, ItemStalled, ItemUnheld,
	ItemFailing, ItemRunner, ItemSyncFailed,
}

// Asks reports whether items of the kind are questions, which an answer settles.
func (k ItemKind) Asks() bool { return k == ItemQuestion || k == ItemAsked }

// WaitKind is a kind of thing that waits for people. Inbox items are derived from the project's state; nothing else is
// stored for them.
type WaitKind string

// The kinds of waiting.
const (
	WaitJudgement    WaitKind = "judgement" // open tasks in review, and those with requested approvals
	WaitUnsupervised WaitKind = "unwatched" // closed by an agent although supervised
	WaitQuestion     WaitKind = "question"  // open blocking questions
	WaitAsked        WaitKind = "asked"     // open questions that block nothing
	WaitOverride     WaitKind = "override"  // forced moves
	WaitLapse        WaitKind = "lapse"     // leases that ran out, of tasks not claimed since
	WaitStall        WaitKind = "stall"     // held, and nothing written for half the lease
	WaitUnheld       WaitKind = "unheld"    // in progress without a holder
	WaitFailing      WaitKind = "failing"   // failed several times since a human acknowledged it
	WaitRunner       WaitKind = "runner"    // a runner stopped by itself, and none like it has worked since
	WaitDivergence   WaitKind = "diverged"  // another system disagrees about a field
	WaitUnclosed     WaitKind = "unclosed"  // closed elsewhere, and kept open here by the rules for done
	WaitSyncFailed   WaitKind = "unsent"    // another system refused a write
	WaitNotice       WaitKind = "noticed"   // a code host merged it or names it, or a system cannot be pulled
)

// WaitKinds lists every kind. Stalls come first: only they are not ordered by events, so all of them have to be read.
var WaitKinds = []WaitKind{WaitStall, WaitJudgement, WaitUnsupervised, WaitQuestion, WaitAsked, WaitOverride, WaitLapse, WaitUnheld, WaitFailing,
	WaitRunner, WaitDivergence, WaitUnclosed, WaitSyncFailed, WaitNotice}

// EndsAtMark reports whether things of the kind only tell what happened: a reader whose mark is past them has seen them.
func (k WaitKind) EndsAtMark() bool { return k == WaitOverride || k == WaitLapse }

// Waiting is one thing that waits for people, with only the fields that decide whom it is for. Stamp distinguishes one
// occurrence from the next: an item that was put away is shown again once its stamp has grown.
type Waiting struct {
	Kind  WaitKind
	Task  task.ID
	Event int64 // since which it waits; task.ThisEvent if the sweep has not written it yet
	Stamp int64
	Since task.Time // for a stall; others use the time of their event

	InReview  bool // for a judgement
	Gate      task.Opt
	Approvals int
	To        task.Opt // for a question
	Record    int64    // for a disagreement or a write: its id
	Name      string   // for a notice
	Why       string   // what is already known about it
}

// items are the kinds of items that things wait as; a notice depends on its name, and a judgement on what is missing.
var items = map[WaitKind]ItemKind{
	WaitJudgement: ItemReview, WaitUnsupervised: ItemReview, WaitOverride: ItemOverride, WaitLapse: ItemLapse, WaitStall: ItemStalled, WaitUnheld: ItemUnheld,
	WaitFailing: ItemFailing, WaitRunner: ItemRunner, WaitQuestion: ItemQuestion, WaitAsked: ItemAsked, WaitDivergence: ItemDivergence, WaitUnclosed: ItemReview, WaitSyncFailed: ItemSyncFailed,
	WaitNotice: ItemReview,
}

// ItemKind returns the kind of item for a waiting thing: for a judgement, the one if nothing is missing.
func (w Waiting) ItemKind() ItemKind {
	if strings.HasPrefix(w.Name, merge.NoticePull) {
		return ItemSyncFailed
	}
	return items[w.Kind]
}

// Item returns the item's name within its task, for the kinds whose name follows from kind and event.
func (w Waiting) Item() string {
	kind := string(w.ItemKind())
	switch w.Kind {
	case WaitQuestion, WaitAsked, WaitOverride, WaitRunner:
		return kind + ":" + strconv.FormatInt(w.Event, 10)
	case WaitDivergence, WaitSyncFailed:
		return kind + ":" + strconv.FormatInt(w.Record, 10)
	case WaitUnsupervised:
		return kind + ":closed"
	case WaitUnclosed:
		return kind + ":elsewhere"
	case WaitNotice:
		return kind + ":" + w.Name
	default:
		return kind
	}
}

// ItemRef is the name of an inbox item: its task, and its name within that task. In its id the task follows the kind:
// approval_requested:demo-4:role:lead is approval_requested:role:lead of demo-4.
type ItemRef struct {
	Task task.ID
	Item string
}

// ID returns the item's id.
func (r ItemRef) ID() string {
	kind, _, _ := strings.Cut(r.Item, ":")
	return kind + ":" + string(r.Task) + r.Item[len(kind):]
}

// ParseItem splits the id of an inbox item.
func ParseItem(id string) (ItemRef, error) {
	kind, rest, _ := strings.Cut(id, ":")
	name, rest, more := strings.Cut(rest, ":")
	if _, _, ok := task.ParseID(name); !ok || !slices.Contains(ItemKinds, ItemKind(kind)) {
		return ItemRef{}, fault.Bad("%s is not the id of an inbox item", words.Quoted(id)).
			WithHint("%s lists them: a kind, a task and perhaps a name, such as review:demo-4", hint.Inbox())
	}
	if more {
		kind += ":" + rest
	}
	return ItemRef{Task: task.ID(name), Item: kind}, nil
}

// Query selects the first waiting things of one kind, past a stamp, of a project or of one task.
type Query struct {
	Project string
	Task    task.ID // only for this task
	Kind    WaitKind
	After   int64
	Limit   int
}

// KindOf returns the kind of inbox item that asks for a requirement.
func KindOf(r task.Requirement) ItemKind {
	if r.Kind == task.KindVerification {
		return ItemVerification
	}
	return ItemApproval
}

// FailedTimes says how often a task has failed.
func FailedTimes(n int) string {
	return fmt.Sprintf("it has failed %d times (its lease ran out, it was given back as failed, or it was sent back from review), "+
		"and no human has acknowledged that", n)
}

// RunnerStopped says that a runner stopped by itself, and why.
func RunnerStopped(actor, host, why string, tasks []string) string {
	return fmt.Sprintf("the runner of %s on %s stopped by itself: %s", actor, host, why) + words.When(len(tasks) > 0, " ("+words.And(tasks)+")")
}
