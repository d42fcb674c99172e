package bundle

import (
	"tasker/internal/jsonout"
	"tasker/internal/task"
)

// Members writes the members of the bundle; see jsonout.
func (b *Bundle) Members(o *jsonout.Object) {
	jsonout.Shared(o, "task", b.Task)
	o.Record("project", &b.Project)
	jsonout.List(o, "ancestors", b.Ancestors)
	briefs(o, "children", b.Children)
	briefs(o, "deps", b.Deps)
	briefs(o, "dependents", b.Dependents)
	task.WriteCriteria(o, b.Criteria)
	if b.Gate == nil {
		o.Null("gate")
	} else {
		o.Value("gate", b.Gate)
	}
	o.Record("approvals", &b.Approvals)
	jsonout.List(o, "notes", b.Notes)
	jsonout.List(o, "decisions", b.Decisions)
	jsonout.List(o, "questions", b.Questions)
	jsonout.List(o, "evidence", b.Evidence)
	task.WriteLinks(o, b.Links)
	jsonout.List(o, "bindings", b.Bindings)
	if b.Workspace == nil {
		o.Null("workspace")
	} else {
		o.Value("workspace", b.Workspace)
	}
	jsonout.List(o, "guidance", b.Guidance)
	jsonout.Records(o, "recentEvents", b.RecentEvents, func(e *task.Event) jsonout.Record { return e })
	jsonout.Texts(o, "warnings", b.Warnings)
	if b.Budget.Limit == nil && b.Budget.Used == nil && len(b.Budget.Omitted) == 0 {
		o.Raw("budget", []byte(`{"limit":null,"used":null,"omitted":[]}`))
	} else {
		o.Value("budget", b.Budget)
	}
}

// Members writes the members of the project.
func (p *InProject) Members(o *jsonout.Object) {
	o.Text("slug", p.Slug)
	o.Opt("name", string(p.Name))
	o.Opt("vision", string(p.Vision))
}

// Members writes the members of the state.
func (a *ApprovalState) Members(o *jsonout.Object) {
	jsonout.List(o, "required", a.Required)
	jsonout.List(o, "given", a.Given)
	jsonout.List(o, "missing", a.Missing)
}

// Members writes the members of the line.
func (b *Brief) Members(o *jsonout.Object) {
	o.Text("id", string(b.ID))
	o.Text("title", b.Title)
	o.Text("status", string(b.Status))
}

func briefs(o *jsonout.Object, n string, list []Brief) {
	jsonout.Records(o, n, list, func(b *Brief) jsonout.Record { return b })
}
