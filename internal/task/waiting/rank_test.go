package waiting_test

import (
	"slices"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

func TestNothingOlderThanADaySinks(t *testing.T) {
	const hour = 3600 * 1000
	now := task.Time(0).Add(100 * 24 * hour)
	rank := func(kind waiting.ItemKind, hours int64, inAll int) waiting.Rank {
		return waiting.RankOf(kind, task.InReview, now.Add(-hours*hour), now, waiting.Freed{InAll: inAll})
	}
	question, old, older, large, small := rank(waiting.ItemQuestion, 1, 0), rank(waiting.ItemReview, 30, 0), rank(waiting.ItemReview, 40, 3),
		rank(waiting.ItemReview, 1, 50), rank(waiting.ItemReview, 2, 5)
	closed := waiting.RankOf(waiting.ItemReview, task.Done, now.Add(-99*hour), now, waiting.Freed{})
	got := []waiting.Rank{closed, small, large, old, question, older}
	slices.SortStableFunc(got, waiting.Rank.Compare)
	if want := []waiting.Rank{question, older, old, large, small, closed}; !slices.Equal(got, want) {
		t.Errorf("the order is %+v, want %+v", got, want)
	}
}

func TestAQuestionFreesTheTaskThatItKeepsBack(t *testing.T) {
	asked := &task.Task{Status: task.Open, Questions: 1}
	if got := waiting.FreedOf(waiting.ItemQuestion, asked, 4, 2); got != (waiting.Freed{Now: 1, InAll: 4}) {
		t.Errorf("an answer frees %+v", got)
	}
	if got := waiting.FreedOf(waiting.ItemReview, &task.Task{Status: task.InReview}, 4, 2); got != (waiting.Freed{Now: 2, InAll: 4}) {
		t.Errorf("a review frees %+v", got)
	}
	if got := waiting.FreedOf(waiting.ItemOverride, &task.Task{Status: task.Done}, 4, 2); got != (waiting.Freed{}) {
		t.Errorf("what is closed frees %+v", got)
	}
}
