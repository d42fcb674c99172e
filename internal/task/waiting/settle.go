package waiting

import (
	"fmt"
	"strconv"
	"strings"

	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// Settling is what the commands that settle an inbox item depend on.
type Settling struct {
	Waiting
	As      ItemKind
	ID      string // of the item
	Project string
	Status  task.Status
	Left    task.Obstacles    // what its task needs to be done
	Parts   int               // open ones, of a task that may be done
	Need    *task.Requirement // of an approval
	Lost    bool              // no declared actor could give it
}

// Commands returns the commands that settle an item, the recommended one first; several are different answers to it. None
// of them would be refused in the state that the item describes, and after any of them the item has left the inbox of
// the reader who typed it. TEXT stands for what a person writes. By is who caused the item.
func (s *Settling) Commands(reader task.Actor, by string) []string {
	return words.Each(s.commands(reader, by), typed)
}

// typed returns a command as people type it. It is a command on every face: only people settle most items.
func typed(line string) string { return hint.Command(line).String() }

// commands returns the commands without the program's name.
func (s *Settling) commands(reader task.Actor, by string) []string {
	id, ack := words.Shell(string(s.Task)), "inbox ack "+words.Shell(s.ID)
	switch s.Kind {
	case WaitJudgement:
		return s.judge(id, ack)
	case WaitUnsupervised:
		return []string{"approve " + id, "reopen " + id + " --note 'TEXT'"}
	case WaitQuestion, WaitAsked:
		if asker, _, _ := strings.Cut(by, "/"); asker == reader.Name { // nobody answers their own question
			return []string{fmt.Sprintf("answer %d --withdraw", s.Event)}
		}
		answer := fmt.Sprintf("answer %d 'TEXT'", s.Event)
		if s.Kind == WaitAsked {
			return []string{answer, ack}
		}
		return []string{answer}
	case WaitDivergence:
		return []string{fmt.Sprintf("resolve %d %s", s.Record, merge.KeepLocal), fmt.Sprintf("resolve %d %s", s.Record, merge.TakeRemote)}
	case WaitSyncFailed:
		return []string{fmt.Sprintf("sync retry %d", s.Record), fmt.Sprintf("sync drop %d", s.Record)}
	case WaitNotice:
		return append(s.noticed(id), ack)
	case WaitUnclosed:
		return append(s.judging(id, nil), ack)
	case WaitStall:
		return []string{"release " + id}
	case WaitUnheld:
		return []string{"reopen " + id}
	case WaitOverride, WaitLapse, WaitFailing, WaitRunner:
	}
	return []string{ack}
}

// judge returns the commands for a task that waits for an approval, a verification or a review.
func (s *Settling) judge(id, ack string) []string {
	var back []string
	if s.Status == task.InReview {
		back = []string{"return " + id + " --because 'TEXT'"}
	}
	switch {
	case s.Need == nil:
		return s.judging(id, back)
	case s.Lost:
		return append(back, ack)
	}
	line := "approve " + id
	if s.Need.Role != "" {
		line += " --role " + words.Shell(s.Need.Role)
	}
	if s.As == ItemVerification {
		line += " --kind " + task.KindVerification
	}
	return append([]string{line}, back...)
}

// noticed returns the commands for what another system said about a task, apart from putting it away.
func (s *Settling) noticed(id string) []string {
	ref, proposed := strings.CutPrefix(s.Name, merge.ProposedName(""))
	switch {
	case proposed:
		return []string{"bind " + id + " " + words.Shell(ref)}
	case s.Name == merge.NoticeMerged:
		return s.judging(id, nil)
	case s.Name == merge.NoticeLanding:
		return []string{"show " + id}
	case s.Event != task.ThisEvent: // a system cannot be pulled; if nobody pulls at all, one pull does not help
		return []string{"sync pull -p " + words.Shell(s.Project)}
	}
	return nil
}

// judging returns the commands for a task that may be done. Unfinished work goes back first. If only criteria and a note
// are missing, a reviewer who finds the criteria met can also tick them and write the note. A person may close a task
// whose parts are open, but no command suggests it.
func (s *Settling) judging(id string, back []string) []string {
	left := s.Left
	switch {
	case s.Parts > 0:
		return back
	case len(left.Missing()) == 0:
		return append([]string{"done " + id}, back...)
	}
	ticks := words.Each(left.Criteria, func(c task.Criterion) string { return strconv.Itoa(c.Index) })
	done := "done " + id + words.When(len(ticks) > 0, " --check "+strings.Join(ticks, ",")) + words.When(left.Note, " --note 'TEXT'")
	left.Criteria, left.Note = nil, false
	if len(left.Missing()) > 0 {
		return back
	}
	return append(back, done)
}

// Together returns the command that does one thing, such as approve or inbox ack, with several tasks or items.
func Together(verb string, names []string) string {
	return typed(verb + " " + strings.Join(words.Each(names, words.Shell), " "))
}
