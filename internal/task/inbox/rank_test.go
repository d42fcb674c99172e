package inbox_test

import (
	"slices"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/inbox"
)

func TestNothingOlderThanADaySinks(t *testing.T) {
	const hour = 3600 * 1000
	now := task.Time(0).Add(100 * 24 * hour)
	rank := func(kind inbox.ItemKind, hours int64, inAll int) inbox.Rank {
		return inbox.RankOf(kind, task.InReview, now.Add(-hours*hour), now, inbox.Freed{InAll: inAll})
	}
	question, old, older, large, small := rank(inbox.ItemQuestion, 1, 0), rank(inbox.ItemReview, 30, 0), rank(inbox.ItemReview, 40, 3),
		rank(inbox.ItemReview, 1, 50), rank(inbox.ItemReview, 2, 5)
	closed := inbox.RankOf(inbox.ItemReview, task.Done, now.Add(-99*hour), now, inbox.Freed{})
	got := []inbox.Rank{closed, small, large, old, question, older}
	slices.SortStableFunc(got, inbox.Rank.Compare)
	if want := []inbox.Rank{question, older, old, large, small, closed}; !slices.Equal(got, want) {
		t.Errorf("the order is %+v, want %+v", got, want)
	}
}

func TestAQuestionFreesTheTaskThatItKeepsBack(t *testing.T) {
	asked := &task.Task{Status: task.Open, Questions: 1}
	if got := inbox.FreedOf(inbox.ItemQuestion, asked, 4, 2); got != (inbox.Freed{Now: 1, InAll: 5}) {
		t.Errorf("an answer frees %+v", got)
	}
	if got := inbox.FreedOf(inbox.ItemReview, &task.Task{Status: task.InReview}, 4, 2); got != (inbox.Freed{Now: 2, InAll: 4}) {
		t.Errorf("a review frees %+v", got)
	}
	if got := inbox.FreedOf(inbox.ItemOverride, &task.Task{Status: task.Done}, 4, 2); got != (inbox.Freed{}) {
		t.Errorf("what is closed frees %+v", got)
	}
}
