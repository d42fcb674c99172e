package landing_test

import (
	"strings"
	"testing"

	"tasker/internal/landing"
	"tasker/internal/task"
)

func record(id task.ID, status task.Status, since int64, waits ...task.ID) landing.Record {
	return landing.Record{Task: id, Status: status, Since: task.Time(since), Known: true, Waits: waits}
}

func TestWhatCanLandGoesInTheOrderOfTheGraph(t *testing.T) {
	missing, approved, landed, unknown := record("d-5", task.InReview, 1), record("d-6", task.InReview, 9), record("d-7", task.Done, 1), record("d-8", task.Done, 1)
	missing.Missing, approved.Approved, landed.Landed, unknown.Known = []string{"criterion 1"}, true, true, false
	all := []landing.Record{
		record("d-1", task.Done, 5), record("d-2", task.Done, 2, "d-1"), record("d-3", task.Done, 3), record("d-4", task.InReview, 1),
		missing, approved, landed, unknown, record("d-9", task.Done, 4, "d-4"), record("d-10", task.Done, 4, "d-11"), record("d-11", task.Open, 0),
	}
	for _, c := range []struct {
		what, named, order string
		skipped            []string
	}{
		{"all that is ready", "", "d-3 d-1 d-2 d-6", []string{"d-9 it waits for d-4, which is in_review", "d-10 it waits for d-11, which is open"}},
		{"named", "d-2 d-3 d-4 d-5 d-7 d-8 d-11", "d-4 d-8 d-3", []string{
			"d-5 it is in review, and lacks criterion 1", "d-7 its work is on the base", "d-11 it is open, and only",
			"d-2 it waits for d-1, which is not on the base, and does not land",
		}},
		{"named with what it waits for", "d-2 d-1", "d-1 d-2", nil},
		{"a dependent of one in review that is named", "d-9 d-4", "d-4 d-9", nil},
	} {
		var named []task.ID
		for _, id := range strings.Fields(c.named) {
			named = append(named, task.ID(id))
		}
		order, skipped := landing.Queue(all, named)
		var got []string
		for _, id := range order {
			got = append(got, string(id))
		}
		if strings.Join(got, " ") != c.order || len(skipped) != len(c.skipped) {
			t.Errorf("%s: %v, skipped %v", c.what, got, skipped)
			continue
		}
		for i, s := range skipped {
			if !strings.HasPrefix(string(s.Task)+" "+s.Why, c.skipped[i]) {
				t.Errorf("%s: %v, not %q", c.what, s, c.skipped[i])
			}
		}
	}
}

func TestWhatWaitsForAFailedTaskIsSkipped(t *testing.T) {
	all := []landing.Record{record("d-1", task.Done, 1), record("d-2", task.Done, 2, "d-1"), record("d-3", task.Done, 3), record("d-4", task.Done, 4, "d-1", "d-2")}
	rest, skipped := landing.Without([]task.ID{"d-1", "d-2", "d-3", "d-4"}, "d-1", all)
	if len(rest) != 1 || rest[0] != "d-3" || len(skipped) != 2 || skipped[1].Task != "d-4" {
		t.Errorf("%v %v", rest, skipped)
	}
}

func TestOnlyPeopleLandWhereAHumanIsDeclared(t *testing.T) {
	human, agent := task.Actor{Name: "ann", Human: true}, task.Actor{Name: "bot"}
	for _, c := range []struct {
		who           task.Actor
		declares, dry bool
		may           bool
	}{{human, true, false, true}, {agent, false, false, true}, {agent, true, true, true}, {agent, true, false, false}} {
		if err := landing.MayLand(c.who, task.Policy{DeclaresHuman: c.declares}, c.dry); (err == nil) != c.may {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
