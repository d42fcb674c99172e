package importer

import (
	"regexp"
	"strconv"
	"sync"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
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

// definition returns the item as a plan has it: what the source leaves out is left out there too.
func (it *Item) definition() plan.TaskDef {
	if it.Def != nil {
		return *it.Def
	}
	d := plan.TaskDef{Key: it.Key}
	d.Title = plan.Give(it.Title)
	if it.Body != "" {
		d.Body = plan.Give(task.Opt(it.Body))
	}
	if it.Parent != "" {
		d.Parent = plan.Give(task.Opt(it.Parent))
	}
	if len(it.Deps) > 0 {
		d.Deps = plan.Give(it.Deps)
	}
	if it.Status != "" {
		d.Status = plan.Give(it.Status)
	}
	if it.Priority != nil {
		d.Priority = plan.Give(*it.Priority)
	}
	if it.Severity != 0 {
		d.Severity = plan.Give(it.Severity)
	}
	if it.Due != "" {
		d.Due = plan.Give(task.Opt(it.Due))
	}
	if it.Actor != "" {
		d.PreferredActor = plan.Give(task.Opt(it.Actor))
	}
	if len(it.Links) > 0 {
		d.Links = plan.Give(it.Links)
	}
	if len(it.Criteria) > 0 {
		texts := make([]string, len(it.Criteria))
		for i, c := range it.Criteria {
			texts[i] = c.Text
		}
		d.Criteria = plan.Give(texts)
	}
	return d
}

// Ticked returns the texts of the criteria that the source has ticked.
func (it *Item) Ticked() []string {
	var out []string
	for _, c := range it.Criteria {
		if c.Checked {
			out = append(out, c.Text)
		}
	}
	return out
}

// place is how a fault of a plan names one of its tasks.
var place = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\btasks\[(\d+)\]`) })

// Located returns a refusal of the plan in which tasks are named by where they stand in the source.
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
	told := *fault.Of(err)
	told.Message = located(told.Message)
	missing := make([]string, len(told.Missing))
	for i, m := range told.Missing {
		missing[i] = located(m)
	}
	told.Missing = missing
	return &told
}
