package services_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/admin"
	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// model is a project as plain values: the expected result of the operations, computed without any of their code.
type model struct {
	tasks []*modelled
}

type modelled struct {
	status  task.Status
	holder  string
	fence   int64
	version int64
	deps    []int
	parent  int // -1: none
	ticked  []bool
	notes   int
}

func (m *model) closed(i int) bool {
	return m.tasks[i].status == task.Done || m.tasks[i].status == task.Cancelled
}

func (m *model) waits(i int) bool {
	return slices.ContainsFunc(m.tasks[i].deps, func(d int) bool { return !m.closed(d) })
}

func (m *model) ready(i int) bool {
	if m.tasks[i].status != task.Open || m.tasks[i].holder != "" || m.waits(i) {
		return false
	}
	for j, t := range m.tasks {
		if t.parent == i && m.part(j) {
			return false
		}
	}
	return true
}

// part reports whether a task is a part of its parent.
func (m *model) part(j int) bool {
	return m.tasks[j].parent >= 0 && !m.closed(j) && !m.leads(j, m.tasks[j].parent, true, true)
}

// leads reports whether one task leads to another, through its dependencies or its children.
func (m *model) leads(from, to int, deps, children bool) bool {
	seen, todo := map[int]bool{}, []int{from}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		var next []int
		if deps {
			next = append(next, m.tasks[at].deps...)
		}
		for j, t := range m.tasks {
			if children && t.parent == at {
				next = append(next, j)
			}
		}
		for _, n := range next {
			if n == to {
				return true
			}
			if !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	return false
}

// rewire replaces the edges of tasks, all or none. It refuses edges that make a cycle through dependencies or through
// parents.
func (m *model) rewire(edges map[int]wiring) bool {
	before := make([]modelled, len(m.tasks))
	for i, t := range m.tasks {
		before[i] = *t
	}
	for i, e := range edges {
		t := m.tasks[i]
		if !slices.Equal(t.deps, e.deps) || t.parent != e.parent {
			t.version++
		}
		t.deps, t.parent = e.deps, e.parent
	}
	for i := range m.tasks {
		if m.leads(i, i, true, false) || m.leads(i, i, false, true) {
			for j := range m.tasks {
				*m.tasks[j] = before[j]
			}
			return false
		}
	}
	return true
}

// wiring is the edges of one task.
type wiring struct {
	deps   []int
	parent int
}

// next returns the first ready task: the oldest if all else is equal.
func (m *model) next() int {
	return slices.IndexFunc(m.tasks, func(t *modelled) bool { return m.ready(slices.Index(m.tasks, t)) })
}

func (m *model) claim(i int, who string) bool {
	t := m.tasks[i]
	if t.holder != "" || m.closed(i) || t.status == task.InReview || m.waits(i) {
		return false
	}
	if t.status == task.Open {
		t.status = task.InProgress
		t.version++
	}
	t.holder = who
	t.fence++
	return true
}

func (m *model) move(i int, who string, to task.Status) bool {
	t := m.tasks[i]
	switch {
	case t.holder != "" && t.holder != who:
		return false
	case to == task.Done && slices.Contains(t.ticked, false):
		return false
	case to == t.status:
		return true
	}
	t.status = to
	t.version++
	if to != task.InProgress {
		t.holder = ""
	}
	return true
}

func (m *model) tick(i int, who string, at int, checked bool) bool {
	t := m.tasks[i]
	if at >= len(t.ticked) || t.holder != "" && t.holder != who {
		return false
	}
	if t.ticked[at] != checked {
		t.ticked[at] = checked
		t.version++
	}
	return true
}

func (m *model) release(i int, who string) bool {
	t := m.tasks[i]
	switch t.holder {
	case "":
		return true
	case who:
		t.holder, t.status = "", task.Open
		t.version++
		return true
	default:
		return false
	}
}

// driven runs the same commands on a model and on the real services.
type driven struct {
	*rapid.T
	m    *model
	s    *services.Set
	slug string
}

func worker(who string) context.Context {
	return core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: who}})
}

func (d *driven) at(i int) string { return fmt.Sprint(d.slug, "-", i+1) }

// agree compares the model's answer with the real one.
func (d *driven) agree(what string, ok bool, err error) {
	var f *fault.Error
	if err != nil && (!errors.As(err, &f) || f.Kind == fault.Internal || f.Kind == fault.Unavailable) {
		d.Fatalf("%s ended in %v", what, err)
	}
	if ok != (err == nil) {
		d.Fatalf("%s: the model says %v, the answer was %v", what, ok, err)
	}
}

func (d *driven) step() {
	who := rapid.SampledFrom([]string{"ada", "bob"}).Draw(d.T, "who")
	i := rapid.IntRange(0, len(d.m.tasks)-1).Draw(d.T, "task")
	ctx := worker(who)
	switch rapid.SampledFrom([]string{
		"claim", "claim", "next", "move", "move", "move", "tick", "tick", "release", "note", "add", "edit", "edit", "apply",
	}).Draw(d.T, "op") {
	case "claim":
		_, err := d.s.Work.Claim(ctx, work.ClaimIn{Task: d.at(i)})
		d.agree("claim "+d.at(i), d.m.claim(i, who), err)
	case "next":
		want := d.m.next()
		got, err := d.s.Work.Next(ctx, work.NextIn{Project: d.slug})
		d.agree("next", true, err)
		switch {
		case want < 0 && got.Task != nil:
			d.Fatalf("next gave %s, and nothing is ready", got.Task.ID)
		case want >= 0 && (got.Task == nil || string(got.Task.ID) != d.at(want)):
			d.Fatalf("next gave %v, the first ready is %s", got.Task, d.at(want))
		case want >= 0:
			d.m.claim(want, who)
		}
	case "move":
		to := rapid.SampledFrom(task.Statuses).Draw(d.T, "to")
		_, err := d.s.Work.Move(ctx, work.MoveIn{Task: d.at(i), To: string(to)})
		d.agree(fmt.Sprintf("move %s to %s", d.at(i), to), d.m.move(i, who, to), err)
	case "tick":
		n, checked := rapid.IntRange(1, 3).Draw(d.T, "index"), rapid.Bool().Draw(d.T, "checked")
		_, err := d.s.Work.Tick(ctx, work.TickIn{Task: d.at(i), Index: n, Checked: &checked})
		d.agree(fmt.Sprintf("tick %s %d", d.at(i), n), d.m.tick(i, who, n-1, checked), err)
	case "release":
		_, err := d.s.Work.Release(ctx, work.ReleaseIn{Task: d.at(i)})
		d.agree("release "+d.at(i), d.m.release(i, who), err)
	case "note":
		_, err := d.s.Work.Note(ctx, work.NoteIn{Task: d.at(i), Text: "x"})
		d.m.tasks[i].notes++
		d.agree("note "+d.at(i), true, err)
	case "add":
		d.add(ctx)
	case "edit":
		w := d.wiring(i)
		_, err := d.s.Planning.Edit(ctx, planning.EditIn{Task: d.at(i), Edit: &plan.Edit{Fields: d.fields(w)}})
		d.agree(fmt.Sprintf("edit %s to %+v", d.at(i), w), d.m.rewire(map[int]wiring{i: w}), err)
	case "apply":
		doc, edges := &plan.Document{Project: d.slug}, map[int]wiring{}
		for range 2 {
			k := rapid.IntRange(0, len(d.m.tasks)-1).Draw(d.T, "also")
			if _, given := edges[k]; given {
				continue
			}
			edges[k] = d.wiring(k)
			def := plan.TaskDef{Key: d.at(k), Fields: d.fields(edges[k])}
			def.Title = plan.Give("T")
			doc.Tasks = append(doc.Tasks, def)
		}
		_, err := d.s.Planning.Apply(ctx, planning.ApplyIn{Doc: doc})
		d.agree(fmt.Sprintf("apply %+v", edges), d.m.rewire(edges), err)
	}
}

// wiring draws the edges of a task.
func (d *driven) wiring(i int) wiring {
	w := wiring{parent: rapid.IntRange(-1, len(d.m.tasks)-1).Draw(d.T, "parent")}
	if w.parent == i {
		w.parent = -1
	}
	for k := range d.m.tasks {
		if k != i && rapid.IntRange(0, len(d.m.tasks)).Draw(d.T, "dep") == 0 {
			w.deps = append(w.deps, k)
		}
	}
	return w
}

func (d *driven) fields(w wiring) (f plan.Fields) {
	var deps []string
	for _, k := range w.deps {
		deps = append(deps, d.at(k))
	}
	f.Deps, f.Parent = plan.Give(deps), plan.Give(task.Opt(""))
	if w.parent >= 0 {
		f.Parent = plan.Give(task.Opt(d.at(w.parent)))
	}
	return f
}

// add creates a task that depends on some of the earlier ones, so that there is never a cycle.
func (d *driven) add(ctx context.Context) {
	t := &modelled{status: task.Open, version: 1, parent: -1, ticked: make([]bool, rapid.IntRange(0, 2).Draw(d.T, "criteria"))}
	def := &plan.TaskDef{Fields: plan.Fields{}}
	def.Title = plan.Give("T")
	var deps []string
	for i := range d.m.tasks {
		if rapid.IntRange(0, 4).Draw(d.T, "dep") == 0 {
			t.deps = append(t.deps, i)
			deps = append(deps, d.at(i))
		}
	}
	def.Deps = plan.Give(deps)
	if len(d.m.tasks) > 0 && rapid.Bool().Draw(d.T, "child") {
		t.parent = rapid.IntRange(0, len(d.m.tasks)-1).Draw(d.T, "parent")
		def.Parent = plan.Give(task.Opt(d.at(t.parent)))
	}
	var criteria []string
	for i := range t.ticked {
		criteria = append(criteria, fmt.Sprint("c", i))
	}
	def.Criteria = plan.Give(criteria)
	got, err := d.s.Planning.Create(ctx, planning.CreateIn{Project: d.slug, Def: def})
	d.agree("add", true, err)
	d.m.tasks = append(d.m.tasks, t)
	if string(got.ID) != d.at(len(d.m.tasks)-1) {
		d.Fatalf("the new task is %s, want %s", got.ID, d.at(len(d.m.tasks)-1))
	}
}

// check compares every record, the frontier and a recount.
func (d *driven) check() {
	all, err := d.s.Reading.List(worker("ada"), reading.ListIn{Project: d.slug})
	if err != nil {
		d.Fatal(err)
	}
	for i, t := range all.Tasks {
		m := d.m.tasks[i]
		holder := ""
		if t.Claim != nil {
			holder = t.Claim.Actor
			if t.Claim.Fence != m.fence {
				d.Fatalf("%s has fence %d, want %d", t.ID, t.Claim.Fence, m.fence)
			}
		}
		var ticked []bool
		for _, c := range t.Criteria {
			ticked = append(ticked, c.Checked)
		}
		if t.Status != m.status || holder != m.holder || t.Version != m.version || !slices.Equal(ticked, m.ticked) {
			d.Fatalf("%s is %s, held by %q, version %d, ticked %v; the model has %+v", t.ID, t.Status, holder, t.Version, ticked, *m)
		}
		d.checkParts(i, t)
	}
	got, err := d.s.Reading.Ready(worker("ada"), reading.ReadyIn{Slug: d.slug})
	if err != nil {
		d.Fatal(err)
	}
	var ids, want []string
	for _, t := range got.Tasks {
		ids = append(ids, string(t.ID))
	}
	for i := range d.m.tasks {
		if d.m.ready(i) {
			want = append(want, d.at(i))
		}
	}
	if !slices.Equal(ids, want) || got.Total != len(want) {
		d.Fatalf("ready are %v (%d), the model has %v", ids, got.Total, want)
	}
	health, err := d.s.Admin.Doctor(worker("ada"), admin.DoctorIn{Project: d.slug})
	if err != nil || !health.OK {
		d.Fatalf("the doctor says %+v, %v", health, err)
	}
}

// checkParts compares the maintained mark and counts of a task with a fresh count.
func (d *driven) checkParts(i int, t *task.Task) {
	children, parts := 0, 0
	for j, child := range d.m.tasks {
		if child.parent == i && !d.m.closed(j) {
			children++
		}
		if child.parent == i && d.m.part(j) {
			parts++
		}
	}
	parent := d.m.tasks[i].parent
	circle := parent >= 0 && d.m.leads(i, parent, true, true)
	if t.OpenChildren != children || t.Parts != parts || t.InCircle != circle {
		d.Fatalf("%s has %d open children and %d parts, in a circle %v; the model has %d, %d, %v", t.ID, t.OpenChildren, t.Parts, t.InCircle, children, parts,
			circle)
	}
}

func TestRandomHistoriesOfOperationsAgreeWithAModel(t *testing.T) {
	coretest.EachAlone(t, func(k *coretest.Kit) {
		runs := 0
		storetest.Check(k.T, k.DB, func(rt *rapid.T) {
			runs++ // one project per run
			d := &driven{T: rt, m: &model{}, s: k.Set, slug: fmt.Sprint("p", runs)}
			if _, err := d.s.Admin.ProjectCreate(worker("ada"), admin.ProjectCreateIn{Slug: d.slug}); err != nil {
				rt.Fatal(err)
			}
			for range rapid.IntRange(1, 5).Draw(rt, "tasks") {
				d.add(worker("ada"))
			}
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
				d.step()
			}
			d.check()
		})
	})
}
