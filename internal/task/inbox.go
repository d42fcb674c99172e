package task

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/fault"
)

// ItemKind says what an inbox item asks for.
type ItemKind string

// The kinds of inbox items.
const (
	ItemApproval     ItemKind = "approval_requested"
	ItemVerification ItemKind = "verification_requested"
	ItemReview       ItemKind = "review"
	ItemQuestion     ItemKind = "blocking_question"
	ItemDivergence   ItemKind = "divergence"
	ItemOverride     ItemKind = "override"
	ItemLapse        ItemKind = "lease_expired"
	ItemStalled      ItemKind = "stalled"
)

// ItemKinds lists every kind of inbox item.
var ItemKinds = []ItemKind{
	ItemApproval, ItemVerification, ItemReview, ItemQuestion, ItemDivergence, ItemOverride, ItemLapse, ItemStalled,
}

// Sort is what of a project's state waits for people. Inbox items are made of it, and of nothing that is kept beside.
type Sort string

// The sorts, each found in the order of its events.
const (
	WaitJudgement Sort = "judgement" // open tasks in review, and those that approvals were asked for
	WaitUnwatched Sort = "unwatched" // closed by an agent though supervised
	WaitQuestion  Sort = "question"  // open blocking questions
	WaitOverride  Sort = "override"  // forced moves
	WaitLapse     Sort = "lapse"     // leases that ran out, of tasks not claimed since
	WaitStall     Sort = "stall"     // held, and nothing written for half the lease
)

// Sorts lists every sort. Stalls alone do not come by their events: they come first, for all of them have to be read.
var Sorts = []Sort{WaitStall, WaitJudgement, WaitUnwatched, WaitQuestion, WaitOverride, WaitLapse}

// Waiting is one thing that waits for people, with no more than it takes to tell for whom. Stamp tells one occurrence
// from the next: who has put away an item with this stamp is shown it again once the stamp has grown.
type Waiting struct {
	Sort  Sort
	Task  ID
	Event int64 // since which it waits; ThisEvent where the sweep is yet to write it
	Stamp int64
	Since Time // of a stall; of others it is the event's

	InReview  bool // of a judgement
	Gate      Opt
	Approvals int
	To        Opt // of a question
}

// Item is what the item of a thing is called within its task, where its sort and event alone say so.
func (w Waiting) Item() string {
	switch w.Sort {
	case WaitQuestion:
		return string(ItemQuestion) + ":" + strconv.FormatInt(w.Event, 10)
	case WaitOverride:
		return string(ItemOverride) + ":" + strconv.FormatInt(w.Event, 10)
	case WaitUnwatched:
		return string(ItemReview) + ":closed"
	case WaitLapse:
		return string(ItemLapse)
	case WaitStall:
		return string(ItemStalled)
	default:
		return string(ItemReview)
	}
}

// ItemRef names an inbox item: its task, and what it is called within it. Its id has the task behind the kind:
// approval_requested:demo-4:role:lead is approval_requested:role:lead of demo-4.
type ItemRef struct {
	Task ID
	Item string
}

// ID is the item's id.
func (r ItemRef) ID() string {
	kind, rest, more := strings.Cut(r.Item, ":")
	if !more {
		return kind + ":" + string(r.Task)
	}
	return kind + ":" + string(r.Task) + ":" + rest
}

// ParseItem takes the id of an inbox item apart.
func ParseItem(id string) (ItemRef, error) {
	kind, rest, _ := strings.Cut(id, ":")
	name, rest, more := strings.Cut(rest, ":")
	if _, _, ok := ParseID(name); !ok || !slices.Contains(ItemKinds, ItemKind(kind)) {
		return ItemRef{}, fault.Bad("%s is not the id of an inbox item", quoted(id)).
			WithHint("tasker inbox lists them: a kind, a task and what more there is, such as review:demo-4")
	}
	if more {
		kind += ":" + rest
	}
	return ItemRef{Task: ID(name), Item: kind}, nil
}

// WaitingQuery asks for the first of one sort, past a stamp, of a project or of one task of it.
type WaitingQuery struct {
	Project string
	Task    ID // only this one's
	Sort    Sort
	After   int64
	Most    int
}

// Gist is what an item tells of its task. Unblocks counts the open ones among the first thousand tasks that wait for
// it directly.
type Gist struct {
	ID       ID
	Title    string
	Status   Status
	Claim    *Claim
	Unblocks int
}

// For names who can satisfy the requirement: role:lead, actor:ann, both with a comma between, or human.
func (r Requirement) For() string {
	switch {
	case r.Actor != "" && r.Role != "":
		return "actor:" + r.Actor + ",role:" + r.Role
	case r.Actor != "":
		return "actor:" + r.Actor
	case r.Role != "":
		return "role:" + r.Role
	default:
		return "human"
	}
}

// By tells whether an approval of a could satisfy the requirement.
func (r Requirement) By(a Actor) bool {
	return a.Human && (r.Actor == "" || r.Actor == a.Name) && (r.Role == "" || slices.Contains(a.Roles, r.Role))
}

// Item is the kind of inbox item that asks for the requirement.
func (r Requirement) Item() ItemKind {
	if approvalKind(r.Kind) == KindVerification {
		return ItemVerification
	}
	return ItemApproval
}
