package shop

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/work"
)

const day = 24 * time.Hour

// What people and workers do. Each returns what is to be done at its time.

func (p *play) apply(who string, src []byte) func() error {
	return func() error {
		doc, err := plan.ReadYAML(src)
		if err != nil {
			return err
		}
		out, err := p.Planning.Apply(p.as(who), planning.ApplyIn{Doc: doc})
		for _, t := range out.Created {
			p.ids[t.Key] = string(t.ID)
		}
		return err
	}
}

func (p *play) edit(who, key, edit string) func() error {
	return func() error {
		e, err := plan.DecodeEdit([]byte(edit))
		if err != nil {
			return err
		}
		_, err = p.Planning.Edit(p.as(who), planning.EditIn{Task: p.ids[key], Edit: e})
		return err
	}
}

func (p *play) claim(who, key string, lease time.Duration) func() error {
	return func() error {
		_, err := p.Work.Claim(p.as(who), work.ClaimIn{Task: p.ids[key], LeaseMs: new(lease.Milliseconds())})
		return err
	}
}

func (p *play) note(who, key, text string) func() error {
	return func() error {
		_, err := p.Work.Note(p.as(who), work.NoteIn{Task: p.ids[key], Text: text})
		return err
	}
}

func (p *play) decide(who, key, title, why string) func() error {
	return func() error {
		_, err := p.Work.Decide(p.as(who), work.DecideIn{Task: p.ids[key], Title: title, Rationale: why})
		return err
	}
}

// ask asks, and keeps the number of the question in into unless that is nil.
func (p *play) ask(who, key, to, text string, into *int64, blocking, release bool) func() error {
	return func() error {
		out, err := p.Work.Ask(p.as(who), work.AskIn{Task: p.ids[key], Text: text, To: to, Blocking: blocking, Release: release})
		if into != nil {
			*into = out.ID
		}
		return err
	}
}

func (p *play) answer(who string, question *int64, text string) func() error {
	return func() error {
		_, err := p.Work.Answer(p.as(who), work.AnswerIn{Question: *question, Text: text})
		return err
	}
}

// prove records a run as `tasker prove` does, of the package's tests, and ticks criteria by it. It names no tree of files:
// the one where somebody tries the demo is another, and the run would be stale there.
func (p *play) prove(who, key, pkg string, check ...int) func() error {
	return func() error {
		hash := func(of string) string { s := sha256.Sum256([]byte(of + " " + key)); return hex.EncodeToString(s[:]) }
		took := int64(800 + len(key)*137 + len(check)*411)
		printed := "ok  \tshop/" + pkg + "\t" + (time.Duration(took) * time.Millisecond).String() + "\n"
		value, err := proven.Run{
			Command: []string{"go", "test", "./" + pkg + "/..."}, Dir: ".", DurationMs: took, Commit: task.Opt(hash("commit")[:40]),
			Output: hash("output"), Bytes: int64(len(printed)),
		}.Value()
		if err != nil {
			return err
		}
		_, err = p.Work.Evidence(p.as(who), work.EvidenceIn{
			Task: p.ids[key], Check: check, Items: []task.EvidenceItem{{Kind: "tests", Value: value, Output: task.Opt(printed)}},
		})
		return err
	}
}

// say records evidence that was typed, and nothing that was run.
func (p *play) say(who, key, kind, value string) func() error {
	return func() error {
		_, err := p.Work.Evidence(p.as(who), work.EvidenceIn{Task: p.ids[key], Items: []task.EvidenceItem{{Kind: kind, Value: value}}})
		return err
	}
}

// tick ticks criteria: by eye where something was seen, and otherwise by nothing.
func (p *play) tick(who, key, seen string, check ...int) func() error {
	return func() error {
		in := work.TickIn{Task: p.ids[key], Indexes: check}
		if seen != "" {
			in.Seen = &seen
		}
		_, err := p.Work.Tick(p.as(who), in)
		return err
	}
}

// move moves a task to a status, with a note unless that is empty.
func (p *play) move(who, key string, to task.Status, note string, paths ...string) func() error {
	return p.moved(who, key, work.MoveIn{To: string(to), Paths: paths}, note)
}

// force closes a task without what is missing.
func (p *play) force(who, key, note string) func() error {
	return p.moved(who, key, work.MoveIn{To: string(task.Done), Force: true}, note)
}

func (p *play) moved(who, key string, in work.MoveIn, note string) func() error {
	return func() error {
		if in.Task = p.ids[key]; note != "" {
			in.Note = &note
		}
		_, err := p.Work.Move(p.as(who), in)
		return err
	}
}

// refused tries to close a task that a person has to approve first: the refusal asks for the approval.
func (p *play) refused(who, key string) func() error {
	return func() error {
		_, err := p.Work.Move(p.as(who), work.MoveIn{Task: p.ids[key], To: string(task.Done)})
		if err == nil {
			return fault.Decline("%s closed %s, which nobody has approved", who, key)
		}
		if fault.Of(err).Kind != fault.Declined {
			return err
		}
		return nil
	}
}

func (p *play) approve(who, key, note string) func() error {
	return func() error {
		_, err := p.Work.Approve(p.as(who), work.ApproveIn{Task: p.ids[key], Note: note})
		return err
	}
}

// giveUp releases a task as failed.
func (p *play) giveUp(who, key, note string) func() error {
	return func() error {
		_, err := p.Work.Release(p.as(who), work.ReleaseIn{Task: p.ids[key], Note: &note, Failed: true})
		return err
	}
}
