package bundle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/drift"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// desk is guidance set by a test.
type desk struct {
	files []drift.Fingerprint
	more  bool
	due   bool
	now   time.Time
}

// guide returns the guidance of the project demo. While due is set, each look at the clock finds it a second later.
func (d *desk) guide() *core.Guide {
	return &core.Guide{
		Where: func() (project, root string) { return "demo", "/demo" },
		Now: func() time.Time {
			if d.due {
				d.now = d.now.Add(time.Second)
			}
			return d.now
		},
		Read: func(dir string, track, ignore []string) (files []drift.Fingerprint, there, more bool, err error) {
			switch {
			case dir != "/demo":
				return nil, false, false, nil
			case !slices.Equal(track, []string{"docs/**"}) || !slices.Equal(ignore, []string{"docs/old"}):
				return nil, true, false, fmt.Errorf("asked for %v without %v", track, ignore)
			}
			return d.files, true, d.more, nil
		},
	}
}

func fingerprint(path, hash string) drift.Fingerprint {
	return drift.Fingerprint{Path: path, Hash: hash}
}

const tracking = `{"version": 1, "project": "demo", "context": {"track": ["docs/**"], "ignore": ["docs/old"]%s}}`

// An unusable setting stops the feature that uses it, but no work.
func TestGuidanceThatCannotBeLookedAtStopsNoWork(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Guide = (&desk{due: true}).guide()
		k.ConfigFile = `{"version": 1, "project": "demo", "context": {"track": ["other"]}}` // which the desk does not know
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		next, err := k.Work.Next(coretest.Bot, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.Contains(k, next.Bundle.Warnings, "the guidance cannot be read: asked for [other]")
		coretest.Contains(k, k.Show("demo-1").Warnings, "the guidance cannot be read")
		_, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})
		k.Must(err)
	})
}

func TestGuidanceIsFingerprintedAtTheClaimAndItsDriftTold(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		d := &desk{files: []drift.Fingerprint{fingerprint("docs/a", "1"), fingerprint("docs/b", "1")}, due: true}
		k.Guide = d.guide()
		k.ConfigFile = fmt.Sprintf(tracking, "")
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		drifted := func(id string) (n int) {
			for _, kind := range k.Events(id) {
				if kind == task.GuidanceDrifted {
					n++
				}
			}
			return n
		}
		b := k.Show("demo-1")
		coretest.EqualSlices(k, "guidance before a claim", b.Guidance, bundle.Guidance{Path: "docs/a", Hash: "1"}, bundle.Guidance{Path: "docs/b", Hash: "1"})
		next, err := k.Work.Next(coretest.Bot, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.Empty(k, next.Bundle.Warnings)
		k.Claim(coretest.Bee, "demo-2")

		d.files = []drift.Fingerprint{fingerprint("docs/a", "2"), fingerprint("docs/c", "1")}
		b = k.Show("demo-1")
		coretest.EqualSlices(k, "guidance", b.Guidance, bundle.Guidance{Path: "docs/a", Hash: "2", Drift: "changed"},
			bundle.Guidance{Path: "docs/b", Drift: "removed"}, bundle.Guidance{Path: "docs/c", Hash: "1", Drift: "added"})
		coretest.Contains(k, b.Warnings, "the guidance changed since bot claimed it: docs/a changed, docs/b removed, docs/c added")
		coretest.Equal(k, "events after a read", drifted("demo-1"), 0)
		k.Note(coretest.Bot, "demo-1", "a write notices it")
		coretest.Equal(k, "events after a write", drifted("demo-1"), 1)
		coretest.Equal(k, "of every held task", drifted("demo-2"), 1)
		ev, payload := k.Last("demo-2")
		coretest.Equal(k, "actor", ev.Actor, "tasker")
		coretest.Equal(
			k,
			"payload",
			payload,
			`{"fence":1,"files":[{"path":"docs/a","what":"changed"},{"path":"docs/b","what":"removed"},{"path":"docs/c","what":"added"}]}`,
		)
		k.Note(coretest.Bot, "demo-1", "once")
		coretest.Equal(k, "events of one change", drifted("demo-1"), 1)
		d.due = false
		d.files = []drift.Fingerprint{fingerprint("docs/a", "3")}
		k.Note(coretest.Bot, "demo-1", "too soon")
		coretest.Equal(k, "events before it is due", drifted("demo-1"), 1)
		d.due = true
		k.Note(coretest.Bot, "demo-1", "the next change")
		coretest.Equal(k, "events of two changes", drifted("demo-1"), 2)
		d.files = []drift.Fingerprint{fingerprint("docs/a", "1"), fingerprint("docs/b", "1")}
		k.Note(coretest.Bot, "demo-1", "as it was at the claim")
		coretest.Equal(k, "events of its undoing", drifted("demo-1"), 2)
		coretest.Empty(k, k.Show("demo-1").Warnings)
		d.files = []drift.Fingerprint{fingerprint("docs/a", "3")}
		k.Note(coretest.Bot, "demo-1", "and once more")
		coretest.Equal(k, "events of the same change again", drifted("demo-1"), 3)

		_, err = k.Work.Release(coretest.Bee, work.ReleaseIn{Task: "demo-2"})
		k.Must(err)
		k.Claim(coretest.Bee, "demo-2") // takes the fingerprints again
		for _, w := range k.Show("demo-2").Warnings {
			if strings.Contains(w, "guidance") {
				k.Errorf("a fresh claim has a warning: %s", w)
			}
		}
		moved := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "open"})
		coretest.Equal(k, "status", moved.Task.Status, task.Open)
		if g := k.Show("demo-1").Guidance; g[0].Drift != "" {
			k.Errorf("the guidance of a task that nobody holds has drifted: %v", g)
		}
		k.Healthy()
	})
}

// While nothing is tracked, a claim does not look for guidance before its turn; the turn notices if that has changed.
func TestAClaimKeepsGuidanceThatIsTrackedSinceTheLastLook(t *testing.T) {
	move := func(k *coretest.Kit) error {
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Next: true})
		return err
	}
	next := func(k *coretest.Kit) error {
		_, err := k.Work.Next(coretest.Bot, work.NextIn{Project: "demo"})
		return err
	}
	claim := func(k *coretest.Kit) error {
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})
		return err
	}
	for name, take := range map[string]func(*coretest.Kit) error{"next": next, "claim": claim, "move": move} {
		t.Run(name, func(t *testing.T) {
			coretest.Rule(t, func(k *coretest.Kit) {
				d := &desk{files: []drift.Fingerprint{fingerprint("docs/a", "1")}}
				k.Guide = d.guide()
				k.ConfigFile = `{"version": 1, "project": "demo"}`
				k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
				k.Claim(coretest.Bot, "demo-1")
				k.ConfigFile = fmt.Sprintf(tracking, "")
				k.Must(take(k))
				d.files = []drift.Fingerprint{fingerprint("docs/a", "2")}
				coretest.Empty(k, k.Show("demo-1").Warnings)
				coretest.Contains(k, k.Show("demo-2").Warnings, "the guidance changed since bot claimed it: docs/a changed")
			})
		})
	}
}

func TestDriftIsNotToldWhereItIsNotWanted(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		d := &desk{files: []drift.Fingerprint{fingerprint("docs/a", "1")}, due: true, more: true}
		k.Guide = d.guide()
		k.ConfigFile = fmt.Sprintf(tracking, `, "warnOnDrift": false`)
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		d.files = []drift.Fingerprint{fingerprint("docs/a", "2")}
		k.Note(coretest.Bot, "demo-1", "x")
		b := k.Show("demo-1")
		coretest.Empty(k, b.Warnings)
		coretest.EqualSlices(k, "guidance", b.Guidance, bundle.Guidance{Path: "docs/a", Hash: "2", Drift: "changed"})
		if o := omits(b, "guidance"); o == nil || o.Items != nil {
			k.Errorf("of the guidance %+v is left out", o)
		}
		if slices.Contains(k.Events("demo-1"), task.GuidanceDrifted) {
			k.Error("there is an event of the drift")
		}
		k.Guide = nil // through a server without the repository
		b = k.Show("demo-1")
		coretest.Equal(k, "guidance", len(b.Guidance), 0)
		coretest.Empty(k, b.Warnings)
	})
}
