package work

import (
	"context"
	"fmt"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// What a waiter can wait for.
const (
	ForDone     = "done"     // the task is done
	ForReady    = "ready"    // it is on the ready frontier
	ForAnswered = "answered" // none of its questions is open, or the named one is not
)

// WaitingFor lists what a waiter can wait for.
var WaitingFor = []string{ForDone, ForReady, ForAnswered}

// MetIn asks whether a condition that somebody waits for is met.
type MetIn struct {
	Task     string `path:"id"`
	For      string `query:"for" required:"true"`
	Question *int64 `query:"question"` // with answered: only this one
}

// MetOut is whether the condition is met, and otherwise what it still waits for. Until is when the claim in the way
// lapses.
type MetOut struct {
	Task     task.ID        `json:"task"`
	For      string         `json:"for"`
	Met      bool           `json:"met"`
	Why      string         `json:"why"`
	Until    task.Time      `json:"until"`
	Question *task.Question `json:"question"`
}

// Met reports whether a condition that somebody waits for is met. A condition that can no longer be met is refused.
func (s *Service) Met(ctx context.Context, in MetIn) (MetOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (MetOut, error) {
		t, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return MetOut{}, err
		}
		if err := s.Hear(ctx, tx, t.Project, ""); err != nil {
			return MetOut{}, err
		}
		out := MetOut{Task: t.ID, For: in.For}
		if t.Claim != nil {
			out.Until = t.Claim.ExpiresAt
		}
		switch in.For {
		case ForDone:
			if t.Status == task.Cancelled {
				return out, fault.Decline("%s was cancelled and will not be done", t.ID).WithHint("reopen it: %s", hint.Reopen(t.ID))
			}
			out.Met, out.Why = t.Status == task.Done, fmt.Sprintf("%s is %s", t.ID, strings.ReplaceAll(string(t.Status), "_", " "))
		case ForReady:
			out.Met, out.Why = t.Ready(), notReady(t)
		case ForAnswered:
			return out, out.answered(tx, t, in.Question)
		default:
			return out, fault.Bad("nothing waits for %q", in.For).WithMissing(fault.Parameter("for")).WithHint("one of %s", strings.Join(WaitingFor, ", "))
		}
		return out, nil
	})
}

// notReady returns what keeps a task off the frontier.
func notReady(t *task.Task) string {
	switch {
	case t.Claim != nil:
		return fmt.Sprintf("%s is %s", t.ID, t.Claim)
	case t.Status != task.Open:
		return fmt.Sprintf("%s is %s", t.ID, strings.ReplaceAll(string(t.Status), "_", " "))
	case t.OpenDeps > 0:
		return fmt.Sprintf("%s waits for %s", t.ID, words.Count(t.OpenDeps, "open task", "open tasks"))
	case t.Parts > 0:
		return fmt.Sprintf("%s waits for %s", t.ID, words.Count(t.Parts, "part", "parts"))
	case t.Questions > 0:
		return fmt.Sprintf("%s is held back by %s", t.ID, words.Count(t.Questions, "blocking question", "blocking questions"))
	default:
		return fmt.Sprintf("%s is ready", t.ID)
	}
}

// answered decides about one question of the task, or about all of them.
func (m *MetOut) answered(tx *store.Tx, t *task.Task, only *int64) error {
	if only != nil {
		q, err := tx.Question(*only)
		if err != nil {
			return err
		}
		if q.Task != t.ID {
			return fault.Bad("question %d is about %s, not about %s", q.ID, q.Task, t.ID).WithMissing(fault.Parameter("question")).
				WithHint("%s lists its questions", hint.Show(t.ID))
		}
		if q.Withdrawn {
			return fault.Decline("question %d was withdrawn and will not be answered", q.ID).WithHint("ask again: %s", hint.Ask(t.ID))
		}
		m.Question, m.Met, m.Why = q, !q.Open(), fmt.Sprintf("question %d is open", q.ID)
		if m.Met {
			m.Why = fmt.Sprintf("question %d was answered by %s", q.ID, q.AnsweredBy)
		}
		return nil
	}
	open := 0
	if t.QuestionCount > 0 {
		var err error
		if open, err = tx.OpenQuestions(t.ID); err != nil {
			return err
		}
	}
	m.Met, m.Why = open == 0, fmt.Sprintf("%s waits for answers: %s open", t.ID, are(open, "question", "questions"))
	if !m.Met {
		return nil
	}
	m.Why = fmt.Sprintf("no question of %s is open", t.ID)
	if t.QuestionCount == 0 {
		return nil
	}
	all, _, err := tx.Questions(t.ID, task.MaxListed)
	for i := range all { // what the waiter was waiting for
		if q := &all[i]; q.AnsweredAt != 0 && (m.Question == nil || q.AnsweredAt > m.Question.AnsweredAt) {
			m.Question = q
		}
	}
	return err
}
