package planning_test

import (
	"testing"

	"tasker/internal/admin"
	"tasker/internal/plan"
	"tasker/internal/testkit/dbtest"
)

// TestAPlanClosesATaskAndTakesAwayWhatWaitedForIt: closing a task changes its dependent, which the plan changes next.
func TestAPlanClosesATaskAndTakesAwayWhatWaitedForIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := opened(t, path)
		for _, src := range []string{
			`{"project":"demo","tasks":[{"key":"a","title":"A"},{"key":"b","title":"B","deps":["a"]}]}`,
			`{"project":"demo","tasks":[{"key":"a","title":"A","status":"cancelled"},{"key":"b","title":"B","deps":[]}]}`,
		} {
			doc, err := plan.Decode([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := apply(s, doc); err != nil {
				t.Fatalf("%s is refused: %v", src, err)
			}
		}
		health, err := s.Admin.Doctor(ctx, admin.DoctorIn{Project: "demo"})
		if err != nil || !health.OK {
			t.Errorf("a recount finds %+v, %v", health.Checks, err)
		}
	})
}
