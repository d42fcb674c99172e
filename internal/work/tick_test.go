package work_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestTicksAreAllOrNothingAndOneChangeOfTheRecord(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two", "three"], "body": "text"}`)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Indexes: []int{1, 4}})
		k.Refused(err, fault.Invalid, "demo-1 has no criterion 4")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1"})
		k.Refused(err, fault.Invalid, "no criterion is named")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: -1})
		k.Refused(err, fault.Invalid, "demo-1 has no criterion -1")
		got, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, Indexes: []int{3, 1}})
		k.Must(err)
		coretest.Equal(k, "version", got.Version, 2)
		coretest.Equal(k, "body", got.Body, "text")
		for i, checked := range []bool{true, false, true} {
			coretest.Equal(k, got.Criteria[i].Text, got.Criteria[i].Checked, checked)
		}
		coretest.Equal(k, "checked by", got.Criteria[0].CheckedBy, "bot")
		coretest.Equal(k, "checked at", got.Criteria[0].CheckedAt, got.UpdatedAt)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.CriterionChecked, task.CriterionChecked)
		_, payload := k.Last("demo-1")
		coretest.Equal(k, "payload", payload, `{"checked":{"from":false,"to":true},"index":3,"text":"three"}`)
		got, err = k.Work.Tick(coretest.Bee, work.TickIn{Task: "demo-1", Index: 1})
		k.Must(err)
		coretest.Equal(k, "version after a tick that was there", got.Version, 2)
		coretest.Equal(k, "checked by", got.Criteria[0].CheckedBy, "bot")
		got, err = k.Work.Tick(coretest.Bee, work.TickIn{Task: "demo-1", Index: 1, Checked: new(false)})
		k.Must(err)
		coretest.Equal(k, "version", got.Version, 3)
		coretest.Equal(k, "checked by nobody", got.Criteria[0].CheckedBy, "")
		_, payload = k.Last("demo-1")
		coretest.Contains(k, []string{payload}, `"checkedBy":{"from":"bot","to":null}`)
	})
}

func TestATickMayCarryTheTextItMeans(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, Text: new("two")})
		k.Refused(err, fault.Conflict, `criterion 1 of demo-1 is "one", not "two"`)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2, Text: new("two")})
		k.Must(err)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Indexes: []int{1, 2}, Text: new("two")})
		k.Refused(err, fault.Invalid, "text goes with one criterion")
	})
}

func TestAnAgentDoesNotTickWhatAnotherHolds(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Tick(coretest.Bee, work.TickIn{Task: "demo-1", Index: 1})
		k.Refused(err, fault.Declined, "held by bot")
		_, err = k.Work.Tick(coretest.Bob, work.TickIn{Task: "demo-1", Index: 1})
		k.Must(err)
	})
}
