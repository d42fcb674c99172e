package linking_test

import (
	"testing"

	"tasker/internal/core/coretest"
	"tasker/internal/core/linking"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task/merge"
)

// dry runs fn, and fails where it left something.
func (s *site) dry(what string, fn func() error) {
	s.Helper()
	conflicts, err := s.Linking.Conflicts(coretest.Ann, demo)
	s.Must(err)
	events, version, plan := len(s.Events("")), s.Task("demo-1").Version, s.plan()
	s.Must(fn())
	after, err := s.Linking.Conflicts(coretest.Ann, demo)
	s.Must(err)
	if got := s.plan(); len(s.Events("")) != events || s.Task("demo-1").Version != version || len(got) != len(plan) || after.Total != conflicts.Total {
		s.Errorf("a dry run of %s wrote something: %d events of %d, %+v", what, len(s.Events("")), events, got)
	}
}

func TestADryRunOfALinkSaysWhatItWouldWriteAndWritesNothing(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		s := bound(k)
		k.Claim(coretest.Bot, "demo-1")
		s.push()
		s.pull()
		s.issue["status"] = "done" // ours: a conflict
		s.pull()
		c := s.conflict()
		s.dry("bind", func() error {
			out, err := s.Linking.Bind(coretest.Ann, linking.BindIn{Task: "demo-1", Ref: "https://site.example.org/browse/DEMO-1", DryRun: true})
			if err == nil && (!out.DryRun || out.Ref != "DEMO-1") {
				s.Errorf("%+v", out)
			}
			if _, err := s.Linking.Bind(coretest.Ann, linking.BindIn{Task: "demo-1", Ref: "DEMO-2", DryRun: true}); !fault.Is(err, fault.Declined) {
				s.Errorf("what is declined is declined dry: %v", err)
			}
			return err
		})
		s.dry("resolve", func() error {
			out, err := s.Linking.Resolve(coretest.Ann, linking.ResolveIn{Conflict: c.ID, Resolution: merge.KeepLocal, DryRun: true})
			if err == nil && (!out.DryRun || out.From != "in_progress" || out.Value != "in_progress" || out.Plan == nil || out.Plan.From != "done" ||
				out.Plan.To != "in_progress" || out.Plan.ID != 0) {
				s.Errorf("%+v %+v", out, out.Plan)
			}
			return err
		})
		s.dry("ownership", func() error {
			out, err := s.Linking.SetOwnership(coretest.Ann, linking.OwnershipSetIn{Slug: "demo", Changes: []string{"status=tracker"}, DryRun: true})
			for _, f := range out.Fields {
				if (f.Was != "") != (f.Field == "status") || f.Was != "" && (f.Was != "local" || f.Owner != "tracker") {
					s.Errorf("%+v", f)
				}
			}
			return err
		})
		s.dry("unbind", func() error {
			out, err := s.Linking.Unbind(coretest.Ann, linking.BindIn{Task: "demo-1", Ref: "DEMO-1", DryRun: true})
			if err == nil && (!out.DryRun || out.Conflicts != 1 || out.Writes != 0) {
				s.Errorf("%+v", out)
			}
			return err
		})
		s.resolve(c.ID, merge.KeepLocal)
		w := s.plan()[0]
		for what, fn := range map[string]func(linking.WriteIn) (linking.Planned, error){
			"drop":  func(in linking.WriteIn) (linking.Planned, error) { return s.Linking.Drop(coretest.Ann, in) },
			"retry": func(in linking.WriteIn) (linking.Planned, error) { return s.Linking.Retry(coretest.Ann, in) },
		} {
			s.dry(what, func() error {
				out, err := fn(linking.WriteIn{ID: w.ID, DryRun: true})
				if err == nil && (!out.DryRun || out.ID != w.ID || out.To != "in_progress") {
					s.Errorf("%+v", out)
				}
				return err
			})
		}
	})
}

// TestADryPlanSaysWhatWouldBeWrittenAndStoresNothing of a change that no plan has yet, and of a stored write that is wanted no more.
func TestADryPlanSaysWhatWouldBeWrittenAndStoresNothing(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		s := bound(k)
		would := func(want int, state string) []linking.Planned {
			k.Helper()
			events := len(k.Events(""))
			out, err := s.Linking.Plan(coretest.Ann, linking.PlanIn{Slug: "demo", DryRun: true})
			k.Must(err)
			if len(out.Writes) != want || len(k.Events("")) != events {
				k.Errorf("%s: %+v, and %d events more", state, out.Writes, len(k.Events(""))-events)
			}
			return out.Writes
		}
		would(0, "with nothing changed")
		k.Claim(coretest.Bot, "demo-1")
		if w := would(1, "with a change"); w[0].ID != 0 || !w[0].DryRun || w[0].Ref != "DEMO-1" || w[0].To != "in_progress" {
			k.Errorf("%+v", w)
		}
		stored := s.plan()
		if w := would(1, "with a plan"); w[0].ID != stored[0].ID || w[0].DryRun {
			k.Errorf("%+v, stored %+v", w, stored)
		}
		_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		would(0, "with the change taken back")
		if due, err := s.Linking.DueWrites(coretest.Ann, linking.DueIn{Project: "demo"}); err != nil || len(due) != 1 {
			k.Errorf("the plan that is stored has %+v, %v", due, err)
		}
	})
}
