package inbox

import (
	"fmt"
	"strconv"
	"strings"

	"tasker/internal/fault/hint"
	"tasker/internal/inbox/waiting"
	"tasker/internal/links/merge"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// settle returns the commands that settle an item, the recommended one first; several are different answers to it. None
// of them would be refused in the state that the item describes, and after any of them the item has left the inbox of
// the reader who typed it. TEXT stands for what a person writes. By is who caused the item.
func (s *stub) settle(it *Item, reader task.Actor, by string) []string {
	return words.Each(s.settling(it, reader, by), typed)
}

// typed returns a command as people type it. It is a command on every face: only people settle most items.
func typed(line string) string { return hint.Command(line).String() }

// settling returns the commands without the program's name.
func (s *stub) settling(it *Item, reader task.Actor, by string) []string {
	id := words.Shell(string(it.Task))
	switch s.of.Kind {
	case waiting.WaitJudgement:
		return s.judge(it, id)
	case waiting.WaitUnsupervised:
		return []string{together([]Item{*it}), "reopen " + id + " --note 'TEXT'"}
	case waiting.WaitQuestion:
		if asker, _, _ := strings.Cut(by, "/"); asker == reader.Name { // nobody answers their own question
			return []string{fmt.Sprintf("answer %d --withdraw", s.of.Event)}
		}
		return []string{fmt.Sprintf("answer %d 'TEXT'", s.of.Event)}
	case waiting.WaitDivergence:
		return []string{fmt.Sprintf("resolve %d %s", s.of.Record, merge.KeepLocal), fmt.Sprintf("resolve %d %s", s.of.Record, merge.TakeRemote)}
	case waiting.WaitSyncFailed:
		return []string{fmt.Sprintf("sync retry %d", s.of.Record), fmt.Sprintf("sync drop %d", s.of.Record)}
	case waiting.WaitNotice:
		return s.noticed(it, id)
	case waiting.WaitUnclosed:
		return append(s.judging(id, it.Left, nil), putAway(*it))
	case waiting.WaitStall:
		return []string{"release " + id}
	case waiting.WaitUnheld:
		return []string{"reopen " + id}
	case waiting.WaitOverride, waiting.WaitLapse, waiting.WaitFailing:
	}
	return []string{putAway(*it)}
}

// judge returns the commands for a task that waits for an approval, a verification or a review.
func (s *stub) judge(it *Item, id string) []string {
	var back []string
	if it.Status == task.InReview {
		back = []string{"return " + id + " --because 'TEXT'"}
	}
	switch {
	case s.need == nil:
		return s.judging(id, it.Left, back)
	case s.lost:
		return append(back, putAway(*it))
	}
	line := "approve " + id
	if s.need.Role != "" {
		line += " --role " + words.Shell(s.need.Role)
	}
	if s.kind == waiting.ItemVerification {
		line += " --kind " + task.KindVerification
	}
	return append([]string{line}, back...)
}

// noticed returns the commands for what another system said about a task.
func (s *stub) noticed(it *Item, id string) []string {
	ref, proposed := strings.CutPrefix(s.of.Name, merge.ProposedName(""))
	switch {
	case proposed:
		return []string{"bind " + id + " " + words.Shell(ref), putAway(*it)}
	case s.of.Name == merge.NoticeMerged:
		return append(s.judging(id, it.Left, nil), putAway(*it))
	case s.of.Event != task.ThisEvent: // a system cannot be pulled; if nobody pulls at all, one pull does not help
		return []string{"sync pull -p " + words.Shell(it.Project), putAway(*it)}
	}
	return []string{putAway(*it)}
}

// judging returns the commands for a task that may be done. Unfinished work goes back first. If only criteria and a note
// are missing, a reviewer who finds the criteria met can also tick them and write the note. A person may close a task
// whose parts are open, but no command suggests it.
func (s *stub) judging(id string, left task.Obstacles, back []string) []string {
	switch {
	case s.parts > 0:
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

// putAway returns the command that puts items away for the reader who types it.
func putAway(items ...Item) string {
	return "inbox ack " + strings.Join(words.Each(items, func(it Item) string { return words.Shell(it.ID) }), " ")
}

// Alike reports whether one command settles both items. Items that need a decision each are never alike.
func Alike(a, b Item) bool {
	light := a.Kind == waiting.ItemOverride || a.Kind == waiting.ItemLapse || a.Closed()
	return light && a.Kind == b.Kind && a.Closed() == b.Closed() && a.Project == b.Project
}

// Together returns the command that settles items that are alike.
func Together(items []Item) string { return typed(together(items)) }

func together(items []Item) string {
	if !items[0].Closed() {
		return putAway(items...)
	}
	return "approve " + strings.Join(words.Each(items, func(it Item) string { return words.Shell(string(it.Task)) }), " ")
}
