package reading_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
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

// Tasks of a group are listed together, in the requested order within each group, across pages.
func TestListGroupsAndSorts(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "e", "title": "Epic"}, {"key": "f", "title": "Other epic"}, {"key": "b", "title": "beta", "parent": "f", "priority": 0},
			{"key": "a", "title": "Alpha", "parent": "e"}, {"key": "c", "title": "Gamma", "parent": "e", "priority": 1}`)
		k.Claim(coretest.As(task.Actor{Name: "bot", Instance: "7"}), "demo-4")
		for _, c := range []struct{ group, sort, want, groups string }{
			{"", "title", "4 3 1 5 2", ""}, {"", "state", "3 5 1 2 4", ""}, {"", "holder", "4 1 2 3 5", ""}, {"", "parent", "4 5 3 1 2", ""},
			{"parent", "priority", "5 4 3 1 2", "demo-1 Epic 2, demo-2 Other epic 1,   2"}, {"parent", "", "4 5 3 1 2", "demo-1 Epic 2, demo-2 Other epic 1,   2"},
			{"state", "title", "3 5 1 2 4", "ready  2, waiting  2, held  1"}, {"holder", "", "4 1 2 3 5", "bot/7  1,   4"},
			{"priority", "title", "3 5 4 1 2", "P0  1, P1  1, P2  3"},
		} {
			var got, groups []string
			for cursor := ""; ; {
				page := list(k, reading.ListIn{Group: c.group, Sort: c.sort, Limit: new(5), Cursor: cursor})
				for _, t := range page.Tasks {
					got = append(got, strings.TrimPrefix(string(t.ID), "demo-"))
				}
				for _, g := range page.Groups {
					groups = append(groups, fmt.Sprintf("%s %s %d", g.Name, g.Title, g.Tasks))
				}
				if cursor = string(page.NextCursor); cursor == "" {
					break
				}
			}
			coretest.Equal(k, "by "+c.group+", "+c.sort, strings.Join(got, " "), c.want)
			coretest.Equal(k, "the groups by "+c.group, strings.Join(groups, ", "), c.groups)
		}
		page := list(k, reading.ListIn{Group: "parent", Limit: new(1)})
		page = list(k, reading.ListIn{Group: "parent", Limit: new(1), Cursor: string(page.NextCursor)})
		coretest.Equal(k, "the second page", page.Tasks[0].ID, "demo-5")
		coretest.Equal(k, "its group", page.Groups[0].Name, "demo-1")
		_, err := k.Reading.List(coretest.Ann, reading.ListIn{Group: "age"})
		k.Refused(err, fault.Invalid)
	})
}

func list(k *coretest.Kit, in reading.ListIn) reading.ListOut {
	k.Helper()
	out, err := k.Reading.List(coretest.Ann, in)
	k.Must(err)
	return out
}

// Every filter narrows a list, and filters can be combined.
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

// A lapse that no sweep has written yet counts as the change that it will be.
func TestAListByChangeHasLapsesAtTheirMoment(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		lease, by := int64(1000), "changed"
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: &lease})
		k.Must(err)
		k.Pass(time.Millisecond)
		k.Edit(coretest.Ann, "demo-2", `{"title": "Bee"}`)
		changed := func() string {
			out, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Sort: by})
			k.Must(err)
			return fmt.Sprintf("%s %s", out.Tasks[0].ID, out.Tasks[1].ID)
		}
		coretest.Equal(k, "before the lapse", changed(), "demo-2 demo-1")
		k.Pass(time.Second)
		coretest.Equal(k, "after the lapse", changed(), "demo-1 demo-2")
	})
}

// In the order of selection come ready tasks, the other open ones, and closed ones, whatever the list is narrowed to and
// however it is cut into pages; in every other order but by number closed tasks are last, too.
func TestAListInTheOrderOfSelection(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "old", "title": "Old", "status": "done", "due": "2020-01-01", "priority": 0}, {"key": "e", "title": "Epic", "severity": 1},
			{"key": "a", "title": "Alpha", "parent": "e"}, {"key": "b", "title": "Beta", "parent": "e", "priority": 0}, {"key": "w", "title": "Waits", "deps": ["a"], "priority": 1},
			{"key": "h", "title": "Held", "priority": 1}, {"key": "gone", "title": "Gone", "parent": "e", "status": "cancelled"}, {"key": "low", "title": "Low", "priority": 3}`)
		k.Claim(coretest.As(task.Actor{Name: "bot", Instance: "7"}), "demo-6")
		last, _ := k.Last("demo-6")
		event := last.ID
		k.Pass(time.Second)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-8", To: "cancelled"})
		for _, c := range []struct {
			name string
			in   reading.ListIn
			want string
		}{
			{"all", reading.ListIn{}, "4 3 2 5 6 8 1 7"},
			{"open", reading.ListIn{Status: "open,in_progress,in_review"}, "4 3 2 5 6"},
			{"one state", reading.ListIn{State: "waiting"}, "2 5"},
			{"below", reading.ListIn{Under: "e"}, "4 3 7"},
			{"waits for", reading.ListIn{DependsOn: "a"}, "5"},
			{"is waited for", reading.ListIn{DependencyOf: "w"}, "3"},
			{"text", reading.ListIn{Q: "l"}, "3 6 8 1"},
			{"as it was", reading.ListIn{At: &event}, "4 3 8 2 5 6 1 7"},
			{"as it was, below", reading.ListIn{At: &event, Under: "e", Status: "open"}, "4 3"},
			{"as it was, below, by text", reading.ListIn{At: &event, Under: "e", Q: "a"}, "4 3"},
			{"as it was, below, by text and title", reading.ListIn{At: &event, Under: "e", Q: "a", Sort: "title"}, "3 4"},
		} {
			for _, limit := range []int{1, 2, 100} {
				in := c.in
				in.Sort, in.Limit = cmp.Or(in.Sort, "selection"), &limit
				var got []string
				for range 20 {
					out, err := k.Reading.List(coretest.Ann, in)
					k.Must(err)
					for _, t := range out.Tasks {
						got = append(got, strings.TrimPrefix(string(t.ID), "demo-"))
					}
					coretest.Equal(k, c.name+": total", out.Total, len(strings.Fields(c.want)))
					if in.Cursor = string(out.NextCursor); in.Cursor == "" {
						break
					}
				}
				coretest.Equal(k, fmt.Sprint(c.name, ", ", limit, " a page"), strings.Join(got, " "), c.want)
			}
		}
		for sort, want := range map[string]string{"due": "2 3 4 5 6 1 7 8", "priority": "4 5 6 2 3 1 7 8", "age": "2 3 4 5 6 1 7 8", "title": "3 4 2 6 5 7 8 1"} {
			out := list(k, reading.ListIn{Sort: sort})
			var got []string
			for _, t := range out.Tasks {
				got = append(got, strings.TrimPrefix(string(t.ID), "demo-"))
			}
			coretest.Equal(k, sort, strings.Join(got, " "), want)
		}
		_, err := k.Reading.List(coretest.Ann, reading.ListIn{Sort: "selection", Group: "state"})
		k.Refused(err, fault.Invalid, "tasks in the order of selection are not grouped")
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Mark: "x"})
		k.Refused(err, fault.Invalid, "is not a mark")
		for _, in := range []reading.ListIn{{Sort: "selection", Cursor: "x"}, {Sort: "selection", Cursor: "-1"}, {Sort: "selection", Cursor: "cx"}} {
			_, err := k.Reading.List(coretest.Ann, in)
			k.Refused(err, fault.Invalid)
		}
	})
}
