package task

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tasker/internal/text/words"
)

// Loosened returns what an edit would loosen although the actor may not: in a project that declares a human, agents can
// only tighten an existing task. The result is empty if the edit is allowed.
func Loosened(before, after *Task, a Actor, p Policy) []string {
	if a.Person() || !p.DeclaresHuman {
		return nil
	}
	out := droppedCriteria(before.Criteria, after.Criteria)
	if before.Gate != "" && after.Gate != before.Gate {
		out = append(out, fmt.Sprintf("gate: from %s to %s", before.Gate, cmp.Or(string(after.Gate), "none")))
	}
	if was, is := p.TaskMayExecute(before.MayExecute), p.TaskMayExecute(after.MayExecute); widened(was, is) {
		out = append(out, fmt.Sprintf("mayExecute: from %s to %s", words.List(was), cmp.Or(words.List(is), "anyone")))
	}
	if was, is := p.TaskAutonomy(before.Autonomy), p.TaskAutonomy(after.Autonomy); strictness(is) < strictness(was) {
		out = append(out, fmt.Sprintf("autonomy: from %s to %s", was, is))
	}
	return out
}

// CutEdges returns the tasks to look at before an edit may take them away from another task: the dependencies that it
// drops, and the parent that it takes a part from. There are none if the actor may take away anything.
func CutEdges(before, after *Task, a Actor, p Policy) []ID {
	if !p.bound(a) {
		return nil
	}
	var out []ID
	if !before.madeBy(a) {
		out = slices.DeleteFunc(slices.Clone(before.Deps), func(id ID) bool { return slices.Contains(after.Deps, id) })
	}
	if before.Parent != after.Parent && before.Part() {
		out = append(out, ID(before.Parent))
	}
	return out
}

// LoosenedEdges returns which open dependencies and parts an edit would take away although the actor may not: an agent
// in a project that declares a human takes them only from tasks that it created itself. around are the tasks that
// CutEdges names.
func LoosenedEdges(before, after *Task, around []*Task, a Actor, p Policy) []string {
	cut := CutEdges(before, after, a, p)
	var out []string
	for _, t := range around {
		switch {
		case !slices.Contains(cut, t.ID):
		case ID(before.Parent) == t.ID && before.Parent != after.Parent && before.Part() && !t.madeBy(a):
			out = append(out, fmt.Sprintf("part %s: it would no longer be one of %s", before.ID, t.ID))
		case slices.Contains(before.Deps, t.ID) && !slices.Contains(after.Deps, t.ID) && !t.Status.Closed():
			out = append(out, fmt.Sprintf("dependency %s: %s (%s)", t.ID, words.Cut(t.Title, maxTitle), t.Status))
		}
	}
	return out
}

// LoosenedCircle returns what a child that would stand in a circle with its parent takes from that parent, which would
// no longer wait for it, although the actor may not.
func LoosenedCircle(child, parent *Task, a Actor, p Policy) string {
	if !p.bound(a) || !child.Part() || parent.madeBy(a) {
		return ""
	}
	return fmt.Sprintf("part %s: in a circle with %s it would no longer be one", child.ID, parent.ID)
}

// madeBy reports whether the actor created the task itself. A human whom nobody named is not taken for the creator.
func (t *Task) madeBy(a Actor) bool { return !a.Human && actorName(t.CreatedBy) == a.Name }

// DroppedTick is a criterion that was ticked when an edit took it away: what was claimed by the tick, the closed task no
// longer shows.
type DroppedTick struct {
	Event     int64  `json:"event"`
	At        Time   `json:"at"`
	Actor     string `json:"actor"` // who took it away
	Text      string `json:"text"`
	CheckedBy Opt    `json:"checkedBy"`
	Rests     Opt    `json:"rests"` // what the tick rested on
}

// DroppedTicks returns the ticked criteria that an edit took away: before and after are the lists that its event keeps.
func DroppedTicks(ev Event, before, after []Criterion) (out []DroppedTick) {
	for _, c := range dropped(before, after, true) {
		out = append(out, DroppedTick{Event: ev.ID, At: ev.At, Actor: ev.Actor, Text: c.Text, CheckedBy: c.CheckedBy, Rests: c.Rests})
	}
	return out
}

// Words says who took away which tick.
func (d DroppedTick) Words() string {
	by := cmp.Or(string(d.CheckedBy), "nobody we know")
	return fmt.Sprintf("%s took away a criterion that %s had ticked (%s): %s", d.Actor, by, restsOn(d.Rests), d.Text)
}

// droppedCriteria returns the unticked criteria that an edit would remove, as refusals list them.
func droppedCriteria(before, after []Criterion) []string {
	var out []string
	for _, c := range dropped(before, after, false) {
		out = append(out, c.missing())
	}
	return out
}

// dropped returns the ticked or the unticked criteria that an edit removes. Texts can repeat, so it counts: for each text,
// how many fewer criteria there are, and how many of those are of the kind that is asked for.
func dropped(before, after []Criterion, ticked bool) (out []Criterion) {
	fewer, such := map[string]int{}, map[string]int{}
	for _, c := range before {
		fewer[c.Text]++
		if c.Checked == ticked {
			such[c.Text]++
		}
	}
	for _, c := range after {
		fewer[c.Text]--
		if c.Checked == ticked {
			such[c.Text]--
		}
	}
	for _, c := range slices.Backward(before) {
		if c.Checked == ticked && fewer[c.Text] > 0 && such[c.Text] > 0 {
			fewer[c.Text]--
			such[c.Text]--
			out = append(out, c)
		}
	}
	slices.Reverse(out)
	return out
}

// missing returns the criterion as refusals list it.
func (c Criterion) missing() string { return fmt.Sprintf("criterion %d: %s", c.Index, c.Text) }

// widened reports whether the new list admits somebody whom the old list did not. An empty list admits anyone.
func widened(was, is []string) bool {
	return len(was) > 0 && (len(is) == 0 || slices.ContainsFunc(is, func(one string) bool { return !slices.Contains(was, one) }))
}

// LoosenedGates returns what a change of the db layer's gates would loosen although the actor may not: gates that would
// be removed, would ask for less evidence, or would become defined although a task has them (until then that task cannot be
// done). named are the gates that tasks have. A gate that only the policy of record defines is not weakened either: the db
// layer goes before it.
func LoosenedGates(before, after map[string][]string, named map[string]bool, a Actor, p Policy) []string {
	if !p.bound(a) {
		return nil
	}
	var out []string
	less := func(name string, was, is []string) {
		for _, k := range was {
			if !slices.Contains(is, k) {
				out = append(out, fmt.Sprintf("gate %s: it would no longer ask for evidence %s", name, k))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch _, was := before[name]; {
		case was:
		case p.definesForAgents(name):
			less(name, p.kindsForAgents(name), after[name])
		case named[name]:
			out = append(out, fmt.Sprintf("gate %s: it would be defined, and tasks have it", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		kinds, still := after[name]
		if !still {
			out = append(out, fmt.Sprintf("gate %s: it would be gone", name))
			continue
		}
		less(name, before[name], kinds)
	}
	return out
}

// StalesApprovals reports whether an edit changes what the approvals were given for: title, body, texts of criteria or
// gate. Both tasks must have their Body loaded.
func StalesApprovals(before, after *Task) bool {
	return before.Title != after.Title || before.Body != after.Body || before.Gate != after.Gate ||
		!slices.EqualFunc(before.Criteria, after.Criteria, func(x, y Criterion) bool { return x.Text == y.Text })
}
