package reading_test

import (
	"strings"
	"testing"

	"tasker/internal/core/coretest"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestListNarrowsAndPages(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "Alpha"}, {"key": "b", "title": "Beta", "deps": ["a"]}, {"key": "c", "title": "Gamma", "parent": "a"}, {"key": ` +
			`"d", "title": "alphabet", "status": "done"}`)
		k.Claim(coretest.As(task.Actor{Name: "bot", Instance: "7"}), "demo-3")
		ids := func(in reading.ListIn) (out []task.ID) {
			k.Helper()
			got, err := k.Reading.List(coretest.Ann, in)
			k.Must(err)
			for _, t := range got.Tasks {
				out = append(out, t.ID)
			}
			coretest.Equal(k, "total", got.Total, len(out))
			return out
		}
		coretest.EqualSlices(k, "all", ids(reading.ListIn{}), "demo-1", "demo-2", "demo-3", "demo-4")
		coretest.EqualSlices(k, "open", ids(reading.ListIn{Status: "open"}), "demo-1", "demo-2")
		coretest.EqualSlices(k, "held by bot", ids(reading.ListIn{HeldBy: "bot"}), "demo-3")
		coretest.EqualSlices(k, "held by bot/7", ids(reading.ListIn{HeldBy: "bot/7"}), "demo-3")
		coretest.EqualSlices(k, "held by bot/8", ids(reading.ListIn{HeldBy: "bot/8"}))
		coretest.EqualSlices(k, "children", ids(reading.ListIn{Parent: "a"}), "demo-3")
		coretest.EqualSlices(k, "by text", ids(reading.ListIn{Q: "ALPHA"}), "demo-1", "demo-4")
		coretest.EqualSlices(k, "ready", ids(reading.ListIn{Ready: new(true)}))
		coretest.EqualSlices(k, "blocked", ids(reading.ListIn{Blocked: new(true)}), "demo-1", "demo-2")
		coretest.EqualSlices(k, "two statuses", ids(reading.ListIn{Status: "done,in_progress"}), "demo-3", "demo-4")
		coretest.EqualSlices(k, "below", ids(reading.ListIn{Under: "a"}), "demo-3")
		coretest.EqualSlices(k, "of a priority", ids(reading.ListIn{Priority: new(2), Status: "done"}), "demo-4")
		coretest.EqualSlices(k, "of a gate", ids(reading.ListIn{Gate: "code"}))
		coretest.EqualSlices(k, "overdue", ids(reading.ListIn{Overdue: true}))
		coretest.EqualSlices(k, "by due date and text", ids(reading.ListIn{Sort: "due", Q: "alpha"}), "demo-1", "demo-4")
		page, err := k.Reading.List(coretest.Ann, reading.ListIn{Limit: new(3)})
		k.Must(err)
		coretest.Equal(k, "page", len(page.Tasks), 3)
		coretest.Equal(k, "total", page.Total, 4)
		page, err = k.Reading.List(coretest.Ann, reading.ListIn{Limit: new(3), Cursor: string(page.NextCursor)})
		k.Must(err)
		coretest.Equal(k, "second page", page.Tasks[0].ID, "demo-4")
		coretest.Equal(k, "no further cursor", page.NextCursor, "")
		coretest.EqualSlices(k, "deps of a listed record", list(k, reading.ListIn{Q: "beta"}).Tasks[0].Deps, "demo-1")
		for _, in := range []reading.ListIn{{Limit: new(0)}, {Limit: new(-3)}, {Status: "closed"}, {HeldBy: "a/b/c"}, {Cursor: "x"},
			{Sort: "x"}, {Priority: new(4)}, {Status: "open,x"}} {
			_, err := k.Reading.List(coretest.Ann, in)
			k.Refused(err, fault.Invalid)
		}
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Parent: "nothing"})
		k.Refused(err, fault.NotFound)
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Project: "nothing"})
		k.Refused(err, fault.NotFound)
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Limit: new(5000)})
		k.Must(err)
	})
}

func list(k *coretest.Kit, in reading.ListIn) reading.ListOut {
	k.Helper()
	out, err := k.Reading.List(coretest.Ann, in)
	k.Must(err)
	return out
}

// Every filter of a list narrows it, and they add up.
func TestListByDueDatePriorityAndGate(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "gates": {"code": []}, "tasks": [{"key": "late", "title": "A", "due": "2020-01-02", "priority": 0},
			{"key": "over", "title": "B", "due": "2020-01-02", "status": "done"}, {"key": "soon", "title": "C", "due": "2990-01-02", "gate": "code"},
			{"key": "plain", "title": "D", "priority": 0, "gate": "code"}]}`)
		zero, nine := 0, 9
		for want, in := range map[string]reading.ListIn{
			"late": {Overdue: true}, "late plain": {Priority: &zero}, "soon plain": {Gate: "code"}, "plain": {Gate: "code", Priority: &zero},
			"": {Gate: "code", Overdue: true}, "late soon plain": {State: "ready"},
		} {
			in.Project = "demo"
			out, err := k.Reading.List(coretest.Ann, in)
			k.Must(err)
			var got []string
			for _, t := range out.Tasks {
				got = append(got, t.Key)
			}
			if strings.Join(got, " ") != want || out.Total != len(got) {
				k.Errorf("%+v finds %v of %d, want %s", in, got, out.Total, want)
			}
		}
		if _, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Priority: &nine}); !fault.Is(err, fault.Invalid) {
			k.Errorf("priority 9: %v", err)
		}
	})
}
