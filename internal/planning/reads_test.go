package planning_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/admin"
	"tasker/internal/app/services"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// TestAnApplyReadsWhatItsDocumentNames: a plan of one task costs the same in a small project and in one with thousands of
// tasks, open and closed, whether it creates, changes, rewires, or does nothing.
func TestAnApplyReadsWhatItsDocumentNames(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, read := opened(t, path)
		fill := func(project string, n int) {
			doc := &plan.Document{Project: project}
			for i := range n {
				d := plan.TaskDef{Key: fmt.Sprint("k", i)}
				d.Title, d.Body = plan.Give("T"), plan.Give(task.Opt("body"))
				if i >= 20 && i < n-1500 { // so that few of the first tasks are open, and the other open ones are far behind
					d.Status = plan.Give(task.Done)
				}
				switch { // a chain of epics, each with a chain of parts
				case i%10 == 0 && i > 0:
					d.Deps = plan.Give([]string{fmt.Sprint("k", i-10)})
				case i%10 > 1:
					d.Deps = plan.Give([]string{fmt.Sprint("k", i-1)})
				}
				if i%10 > 0 {
					d.Parent = plan.Give(task.Opt(fmt.Sprint("k", i-i%10)))
				}
				doc.Tasks = append(doc.Tasks, d)
			}
			if _, err := apply(s, doc); err != nil {
				t.Fatal(err)
			}
		}
		one := func(project, key string, edit func(*plan.TaskDef)) reads {
			t.Helper()
			*read = reads{}
			doc := &plan.Document{Project: project, Tasks: []plan.TaskDef{{Key: key}}}
			doc.Tasks[0].Title = plan.Give("T")
			edit(&doc.Tasks[0])
			out, err := apply(s, doc)
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Unmentioned) != plan.MaxUnmentioned {
				t.Fatalf("%d are listed as unmentioned", len(out.Unmentioned))
			}
			return *read
		}
		fill("small", 2000)
		fill("large", 5000)
		for name, edit := range map[string]func(*plan.TaskDef){
			"nothing": func(*plan.TaskDef) {},
			"title":   func(d *plan.TaskDef) { d.Title = plan.Give("New") },
			"deps":    func(d *plan.TaskDef) { d.Deps = plan.Give([]string{"k2", "k8"}) },
			"parent":  func(d *plan.TaskDef) { d.Parent = plan.Give(task.Opt("k0")) },
			"new": func(d *plan.TaskDef) {
				d.Key, d.Deps, d.Parent = "new", plan.Give([]string{"k3"}), plan.Give(task.Opt("k0"))
			},
		} {
			one("small", "k15", func(*plan.TaskDef) {}) // statements are prepared
			small, large := one("small", "k15", edit), one("large", "k15", edit)
			if large.rows > 1100 || large.rows > small.rows+10 || large.statements > small.statements+5 || large.visited > small.visited+small.visited/4+100 {
				t.Errorf("%s: with 2,000 tasks an apply reads %+v, with 5,000 %+v", name, small, large)
			}
		}
	})
}

// TestAnApplyOfManyTasksReadsEachOnce: looking up hundreds of tasks costs the same in a project three times as large,
// whatever the query planner assumes about it.
func TestAnApplyOfManyTasksReadsEachOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, read := opened(t, path)
		doc := func(project string, n int) *plan.Document {
			doc := &plan.Document{Project: project}
			for i := range n {
				doc.Tasks = append(doc.Tasks, plan.TaskDef{Key: fmt.Sprint("k", i), Fields: plan.Fields{Title: plan.Give("T"), Deps: plan.Give([]string{})}})
				if i > 0 {
					doc.Tasks[i].Deps = plan.Give([]string{fmt.Sprint("k", i-1)})
				}
			}
			return doc
		}
		again := func(project string, n int) reads {
			t.Helper()
			*read = reads{}
			out, err := apply(s, doc(project, n))
			if err != nil || len(out.Unchanged) != n {
				t.Fatalf("%d are unchanged, %v", len(out.Unchanged), err)
			}
			return *read
		}
		for project, n := range map[string]int{"small": 2000, "large": 6000} {
			if _, err := apply(s, doc(project, n)); err != nil {
				t.Fatal(err)
			}
		}
		again("small", 600) // statements are prepared
		small, large := again("small", 600), again("large", 600)
		if large.rows > small.rows+10 || large.visited > small.visited+small.visited/4+100 {
			t.Errorf("of 2,000 tasks an apply reads %+v, of 6,000 %+v", small, large)
		}
	})
}

// everything reads a whole project.
func everything(t *rapid.T, s *services.Set, project string) (p *task.Project, all []*task.Task) {
	err := s.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if p, err = tx.Project(project); err != nil {
			return err
		}
		refs, err := tx.RefsAfter(project, "", false, 1000)
		if err != nil {
			return err
		}
		var ids []task.ID
		for _, r := range refs {
			ids = append(ids, r.ID)
		}
		if all, err = tx.TasksByID(ids); err != nil {
			return err
		}
		return tx.Fill(all...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, all
}

// restOf answers from a list of all tasks.
func restOf(all []*task.Task) plan.Rest {
	ties := func(end func(query.Tie) task.ID) func([]task.ID) ([]query.Tie, error) {
		return func(ids []task.ID) (out []query.Tie, err error) {
			for _, t := range all {
				for _, d := range t.Deps {
					out = append(out, query.Tie{From: t.ID, To: d})
				}
				if t.Parent != "" {
					out = append(out, query.Tie{From: task.ID(t.Parent), To: t.ID, Child: true, InCircle: t.InCircle})
				}
			}
			return slices.DeleteFunc(out, func(tie query.Tie) bool { return !slices.Contains(ids, end(tie)) }), nil
		}
	}
	return plan.Rest{
		Ties: plan.Ties{
			From: ties(func(t query.Tie) task.ID { return t.From }), To: ties(func(t query.Tie) task.ID { return t.To }),
			Circles: func() (bool, error) {
				return slices.ContainsFunc(all, func(t *task.Task) bool { return t.InCircle }), nil
			},
		},
		CircledUnder: func(parents []task.ID) (out []query.Tie, err error) {
			for _, t := range all {
				if t.InCircle && slices.Contains(parents, task.ID(t.Parent)) {
					out = append(out, query.Tie{From: task.ID(t.Parent), To: t.ID, Child: true, InCircle: true})
				}
			}
			return out, nil
		},
		Refs: func([]task.ID) ([]plan.Ref, error) { return nil, nil }, // all of them are known
		After: func(after task.ID, open bool, limit int) (out []plan.Ref, err error) {
			for _, t := range all {
				if len(out) < limit && (after == "" || task.CompareIDs(t.ID, after) > 0) && (!open || !t.Status.Closed()) {
					out = append(out, plan.Ref{Key: t.Key, ID: t.ID})
				}
			}
			return out, nil
		},
	}
}

// TestAnApplyComesToWhatTheWholeProjectSays: a plan compared with only what it names, in a database, has the same result
// as one compared with every task of the project, and leaves marks and counts right. (The tests of package plan show that
// both ways of comparing agree.)
func TestAnApplyComesToWhatTheWholeProjectSays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := opened(t, path)
		runs := 0
		storetest.Check(t, path, func(rt *rapid.T) {
			runs++
			project := fmt.Sprint("p", runs)
			first := &plan.Document{Project: project}
			for i := range 8 {
				first.Tasks = append(first.Tasks, plan.TaskDef{Key: fmt.Sprint("k", i), Fields: plan.Fields{Title: plan.Give("T")}})
			}
			if _, err := apply(s, first); err != nil {
				rt.Fatal(err)
			}
			for range rapid.IntRange(1, 6).Draw(rt, "plans") {
				doc := drawPlan(rt, project)
				p, all := everything(rt, s, project)
				st := plan.State{Project: p, Tasks: all, Rest: restOf(all), Policy: task.Policy{}}
				for _, one := range all {
					if !one.Status.Closed() {
						st.Open++
					}
				}
				want, wantErr := plan.Compare(doc, st, task.Actor{Name: "ada"})
				got, gotErr := s.Planning.Apply(ctx, planning.ApplyIn{Doc: doc, DryRun: true})
				if d := cmp.Diff(said(wantErr), said(gotErr)); d != "" {
					rt.Fatalf("%+v\nis refused differently (-want +got):\n%s", doc.Tasks, d)
				}
				if wantErr != nil {
					continue
				}
				if d := cmp.Diff(outcomeOf(want), answered(got)); d != "" {
					rt.Fatalf("%+v\ncomes to something else (-want +got):\n%s", doc.Tasks, d)
				}
				if _, err := apply(s, doc); err != nil {
					rt.Fatalf("%+v\nis refused: %v", doc.Tasks, err)
				}
			}
			health, err := s.Admin.Doctor(ctx, admin.DoctorIn{Project: project})
			if err != nil || !health.OK {
				rt.Fatalf("a recount finds %+v, %v", health.Checks, err)
			}
		})
	})
}

func drawPlan(t *rapid.T, project string) *plan.Document {
	refs := []string{}
	for i := range 8 {
		refs = append(refs, fmt.Sprint("k", i), fmt.Sprint(project, "-", i+1))
	}
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		refs = append(refs, "k55", project+"-99", "\x00", "\xff")
	}
	doc := &plan.Document{Project: project}
	for _, k := range rapid.SliceOfNDistinct(rapid.IntRange(0, 9), 1, 4, rapid.ID[int]).Draw(t, "keys") {
		d := plan.TaskDef{Key: fmt.Sprint("k", k)}
		d.Title = plan.Give(rapid.SampledFrom([]string{"T", "T", "U"}).Draw(t, "title"))
		if rapid.Bool().Draw(t, "parent given") {
			d.Parent = plan.Give(task.Opt(rapid.SampledFrom(append(refs, "")).Draw(t, "parent")))
		}
		if rapid.Bool().Draw(t, "deps given") {
			d.Deps = plan.Give(rapid.SliceOfN(rapid.SampledFrom(refs), 0, 2).Draw(t, "deps"))
		}
		if rapid.IntRange(0, 9).Draw(t, "status") == 0 {
			d.Status = plan.Give(rapid.SampledFrom([]task.Status{task.Open, task.Cancelled, task.Done}).Draw(t, "status"))
		}
		doc.Tasks = append(doc.Tasks, d)
	}
	return doc
}

func said(err error) []string {
	if err == nil {
		return nil
	}
	e := fault.Of(err)
	return append([]string{e.Message}, e.Missing...)
}

// outcome is the result of a plan, as far as an answer shows it.
type outcome struct {
	Created, Updated, Unchanged, Unmentioned []string
	LeftOut                                  int
	Warnings                                 []string
}

func outcomeOf(d *plan.Diff) (out outcome) {
	for _, c := range d.Create {
		out.Created = append(out.Created, c.Task.Key)
	}
	for i := range d.Update {
		out.Updated = append(out.Updated, fmt.Sprint(d.Update[i].Before.ID, d.Update[i].Answer()))
	}
	for _, r := range d.Unchanged {
		out.Unchanged = append(out.Unchanged, r.Key+"="+string(r.ID))
	}
	for _, r := range d.Unmentioned {
		out.Unmentioned = append(out.Unmentioned, r.Key+"="+string(r.ID))
	}
	out.LeftOut, out.Warnings = d.LeftOut, d.Warnings
	return out
}

func answered(a planning.ApplyOut) (out outcome) {
	for _, r := range a.Created {
		out.Created = append(out.Created, r.Key)
	}
	for _, u := range a.Updated {
		out.Updated = append(out.Updated, fmt.Sprint(u.ID, u.Changes))
	}
	for _, r := range a.Unchanged {
		out.Unchanged = append(out.Unchanged, r.Key+"="+string(r.ID))
	}
	for _, r := range a.Unmentioned {
		out.Unmentioned = append(out.Unmentioned, r.Key+"="+string(r.ID))
	}
	out.LeftOut, out.Warnings = a.UnmentionedTotal, a.Warnings
	return out
}
