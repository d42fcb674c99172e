package bundle_test

import (
	"testing"
	"time"

	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestALapsedOrReleasedClaimIsHandedOver(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		held, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(1))})
		k.Must(err)
		k.Pass(5 * time.Millisecond)
		coretest.Contains(k, k.Show("demo-1").Warnings, "Last try: bot, its lease lapsed") // not swept yet
		next, err := k.Work.Next(coretest.Bee, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.Contains(k, next.Bundle.Warnings, "Last try: bot, its lease lapsed at "+held.ExpiresAt.String())
		coretest.Contains(k, next.Bundle.Warnings, "; 0 of 2 criteria; 1 failed attempt")
		_, err = k.Work.Evidence(coretest.Bee, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "x"}}})
		k.Must(err)
		_, err = k.Work.Release(coretest.Bee, work.ReleaseIn{Task: "demo-1", Failed: true, Note: new("no luck")})
		k.Must(err)
		b := k.Show("demo-1")
		coretest.Contains(k, b.Warnings, "Last try: bee gave it back as failed at ")
		coretest.Contains(k, b.Warnings, "; 1 failed attempt; it left a note")
		k.Claim(coretest.Bot, "demo-1")
		_, err = k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		coretest.Contains(k, k.Show("demo-1").Warnings, "Last try: bee gave it back as failed at ") // bot did not try
		k.Claim(coretest.Bot, "demo-1")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		coretest.Empty(k, k.Show("demo-1").Warnings)
		k.Tasks(`{"key": "b", "title": "B"}`)
		next, err = k.Work.Next(coretest.Bot, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.Empty(k, next.Bundle.Warnings) // nobody held it before
	})
}

func TestALapsedNeighbourIsShownAsItWillBeSwept(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"], "parent": "a"}`)
		k.Claim(coretest.Bot, "a")
		b := k.Show("b")
		coretest.Equal(k, "a held dependency", b.Deps[0].Status, task.InProgress)
		coretest.Equal(k, "a held parent", b.Ancestors[0].Status, task.InProgress)
		_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "a"})
		k.Must(err)
		_, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "a", LeaseMs: new(int64(1))})
		k.Must(err)
		k.Pass(5 * time.Millisecond)
		b = k.Show("b")
		coretest.Equal(k, "after its lapse", b.Deps[0].Status, task.Open)
		coretest.Equal(k, "so the parent", b.Ancestors[0].Status, task.Open)
	})
}
