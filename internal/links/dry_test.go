package links_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/links"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/coretest"
)

// dry runs fn, and fails if it wrote something.
func (s *site) dry(what string, fn func() error) {
	s.Helper()
	conflicts, err := s.Links.Conflicts(coretest.Ann, demo)
	s.Must(err)
	events, version, plan := len(s.Events("")), s.Task("demo-1").Version, s.plan()
	s.Must(fn())
	after, err := s.Links.Conflicts(coretest.Ann, demo)
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
			out, err := s.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "https://site.example.org/browse/DEMO-1", DryRun: true})
			if err == nil && (!out.DryRun || out.Ref != "DEMO-1") {
				s.Errorf("%+v", out)
			}
			if _, err := s.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "DEMO-2", DryRun: true}); !fault.Is(err, fault.Declined) {
				s.Errorf("a dry run is declined like a real one: %v", err)
			}
			return err
		})
		s.dry("resolve", func() error {
			out, err := s.Links.Resolve(coretest.Ann, links.ResolveIn{Conflict: c.ID, Resolution: merge.KeepLocal, DryRun: true})
			if err == nil && (!out.DryRun || out.From != "in_progress" || out.Value != "in_progress" || out.Plan == nil || out.Plan.From != "done" ||
				out.Plan.To != "in_progress" || out.Plan.ID != 0) {
				s.Errorf("%+v %+v", out, out.Plan)
			}
			return err
		})
		s.dry("ownership", func() error {
			out, err := s.Links.SetOwnership(coretest.Ann, links.OwnershipSetIn{Slug: "demo", Changes: []string{"status=tracker"}, DryRun: true})
			for _, f := range out.Fields {
				if (f.Was != "") != (f.Field == "status") || f.Was != "" && (f.Was != "local" || f.Owner != "tracker") {
					s.Errorf("%+v", f)
				}
			}
			return err
		})
		s.dry("unbind", func() error {
			out, err := s.Links.Unbind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "DEMO-1", DryRun: true})
			if err == nil && (!out.DryRun || out.Conflicts != 1 || out.Writes != 0) {
				s.Errorf("%+v", out)
			}
			return err
		})
		s.resolve(c.ID, merge.KeepLocal)
		w := s.plan()[0]
		for what, fn := range map[string]func(links.WriteIn) (links.Planned, error){
			"drop":  func(in links.WriteIn) (links.Planned, error) { return s.Links.Drop(coretest.Ann, in) },
			"retry": func(in links.WriteIn) (links.Planned, error) { return s.Links.Retry(coretest.Ann, in) },
		} {
			s.dry(what, func() error {
				out, err := fn(links.WriteIn{ID: w.ID, DryRun: true})
				if err == nil && (!out.DryRun || out.ID != w.ID || out.To != "in_progress") {
					s.Errorf("%+v", out)
				}
				return err
			})
		}
	})
}
