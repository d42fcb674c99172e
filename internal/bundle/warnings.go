package bundle

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/inbox/waiting"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// RecentWindow is how many of a task's events are searched for what happened since its claim.
const RecentWindow = 200

// ChangedSince returns a warning if the events, oldest first, include a change of the record by anybody except the holder
// since the newest claim.
func ChangedSince(id task.ID, holder string, events []task.Event) []string {
	var who, what []string
	for _, e := range slices.Backward(events) {
		if e.Kind == task.TaskClaimed {
			break
		}
		how := changesRecord[e.Kind]
		if how == "" || oneActor(e.Actor, holder) {
			continue
		}
		if !slices.Contains(who, e.Actor) {
			who = append(who, e.Actor)
		}
		if !slices.Contains(what, how) {
			what = append(what, how)
		}
	}
	if who == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s changed since it was claimed by %s: by %s (%s)", id, holder, strings.Join(who, ", "), strings.Join(what, ", "))}
}

// oneActor reports whether two names belong to the same actor: a name without an instance may act for any of its
// instances.
func oneActor(a, b string) bool {
	name, instance, _ := strings.Cut(a, "/")
	other, also, _ := strings.Cut(b, "/")
	return name == other && (instance == also || instance == "" || also == "")
}

// changesRecord has one word for how an event of a kind changes the record of its task; other kinds do not change it.
var changesRecord = map[task.Kind]string{
	task.TaskUpdated: "edited", task.TaskMoved: "moved", task.CriterionChecked: "ticked", task.CriterionUnchecked: "unticked",
}

// depWarnings returns warnings about dependencies in a state that a worker would not expect.
func depWarnings(t *task.Task, deps []*task.Task) []string {
	var out []string
	var cancelled, open []task.ID
	for _, d := range deps {
		switch {
		case d.Status == task.Cancelled:
			cancelled = append(cancelled, d.ID)
		case !d.Status.Closed():
			open = append(open, d.ID)
		}
	}
	if len(cancelled) > 0 && !t.Status.Closed() {
		out = append(out, fmt.Sprintf("%s was cancelled, not done, and counts as closed", words.Some(cancelled, len(cancelled))))
	}
	if len(open) > 0 && t.Claim != nil {
		out = append(out, fmt.Sprintf("%s waits again for %s, which was reopened while %s holds it", t.ID, words.Some(open, len(open)), t.Claim.Actor))
	}
	return out
}

// partWarnings warns the holder of a task that it has open parts: a child was reopened or added, or the task was claimed
// in spite of them.
func partWarnings(t *task.Task, children []*task.Task) []string {
	if t.Claim == nil || t.Parts == 0 {
		return nil
	}
	var open []task.ID
	for _, c := range children {
		if !c.Status.Closed() && !c.InCircle {
			open = append(open, c.ID)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s waits for parts that are open while %s holds it: %s", t.ID, t.Claim.Actor, words.Some(open, t.Parts))}
}

// failWarnings warns the worker that a task keeps failing.
func failWarnings(t *task.Task) []string {
	if t.Failing == 0 {
		return nil
	}
	return []string{waiting.FailedTimes(t.Failures) + "; find out why before you try the same again"}
}
