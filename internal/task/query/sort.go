package query

import "tasker/internal/task"

// Sort is the order of a list. A list in any order but by number is paged by position, so a write in the meantime may
// move a task from one page to another.
type Sort string

// The orders: see Sorts.
const (
	ByID        Sort = ""
	BySelection Sort = "selection"
	ByDue       Sort = "due"
	ByPriority  Sort = "priority"
	ByAge       Sort = "age"
	ByChanged   Sort = "changed"
	ByTitle     Sort = "title"
	ByState     Sort = "state"
	ByHolder    Sort = "holder"
	ByParent    Sort = "parent"
	ByClosed    Sort = "closed" // last closed first; not for readers to choose
)

// Sorts are the names of the orders: of selection (ready tasks first), by due date (none last), urgency, age, last
// change, title, state, holder (nobody last), parent (none last), and number. Closed tasks come last in each of them but
// by number.
var Sorts = []string{"selection", "due", "priority", "age", "changed", "title", "state", "holder", "parent", "id"}

// Groups are the orders whose equal tasks can be shown as a group.
var Groups = []string{"parent", "state", "holder", "priority"}

// Sorted reports whether the list is in an order other than by number.
func (q List) Sorted() bool { return q.Sort != ByID || q.Group != ByID }

// States is a set of states; the empty one means all of them.
type States uint16

// Has reports whether a state is in the set.
func (s States) Has(one task.State) bool { return s == 0 || s&(1<<one) != 0 }

// Of returns the states of tasks with a status; none if it is not a status.
func Of(status task.Status) (set States) {
	for i := range task.States {
		if statusOf(task.State(i)) == status {
			set |= 1 << i
		}
	}
	return set
}
