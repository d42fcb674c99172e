package work_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestDecisionsAreStoredWithTheirReason(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		d, err := k.Work.Decide(coretest.Bot, work.DecideIn{Task: "a", Title: "Keep it", Rationale: "three clients read it"})
		k.Must(err)
		event, payload := k.Last("demo-1")
		coretest.Equal(k, "id", d.ID, event.ID)
		coretest.Equal(k, "payload", payload, `{"rationale":"three clients read it","title":"Keep it"}`)
		coretest.Equal(k, "of", d.Project+" "+string(d.Task)+" "+d.Actor, "demo demo-1 bot")
		_, err = k.Work.Decide(coretest.Bot, work.DecideIn{Task: "a"})
		k.Refused(err, fault.Invalid, "the title is empty")
		coretest.Equal(k, "shown", k.Show("a").Decisions[0].Rationale, "three clients read it")
		coretest.Equal(k, "version", k.Task("a").Version, 1)
		k.Healthy()
	})
}
