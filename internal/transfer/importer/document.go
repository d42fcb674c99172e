package importer

import (
	"slices"
	"strconv"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Document returns the plan of the items, in their order.
func (b *Batch) Document() *plan.Document {
	doc := &plan.Document{Project: b.Project, Tasks: make([]plan.TaskDef, len(b.Items))}
	if len(b.Gates) > 0 {
		doc.Gates = plan.Give(b.Gates)
	}
	for i := range b.Items {
		doc.Tasks[i] = b.Items[i].definition()
	}
	return doc
}

// definition returns the item as plans define tasks, without what the source leaves out.
func (it *Item) definition() plan.TaskDef {
	if it.Def != nil {
		return *it.Def
	}
	d := plan.TaskDef{Key: it.Key, Status: plan.GiveAny(it.Status), Fields: plan.Fields{
		Title: plan.Give(it.Title), Body: plan.GiveAny(task.Opt(it.Body)), Parent: plan.GiveAny(task.Opt(it.Parent)), Deps: plan.GiveList(it.Deps),
		Severity: plan.GiveAny(it.Severity), Due: plan.GiveAny(task.Opt(it.Due)), PreferredActor: plan.GiveAny(task.Opt(it.Actor)),
		Links: plan.GiveList(it.Links), Criteria: plan.GiveList(words.Each(it.Criteria, func(c Criterion) string { return c.Text })),
	}}
	if it.Priority != nil { // 0 is a priority too
		d.Priority = plan.Give(*it.Priority)
	}
	return d
}

// Ticked returns the criteria that are ticked in the source.
func (it *Item) Ticked() []Criterion {
	return slices.DeleteFunc(slices.Clone(it.Criteria), func(c Criterion) bool { return !c.Checked })
}

// place matches the name of a task in a fault of a plan.
var place = words.Pattern(`\btasks\[(\d+)\]`)

// Located rewrites a refusal of the plan so that it names tasks by their location in the source.
func (b *Batch) Located(err error) error {
	if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Declined) {
		return err
	}
	located := func(text string) string {
		return place().ReplaceAllStringFunc(text, func(at string) string {
			i, err := strconv.Atoi(place().FindStringSubmatch(at)[1])
			if err != nil || i >= len(b.Items) {
				return at
			}
			return b.Items[i].Where + " (" + b.Items[i].Key + ")"
		})
	}
	out := *fault.Of(err)
	out.Message, out.Missing = located(out.Message), words.Each(out.Missing, located)
	return &out
}
