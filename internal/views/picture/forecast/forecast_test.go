package forecast_test

import (
	"slices"
	"testing"

	"tasker/internal/task"
	"tasker/internal/views/picture/forecast"
)

const hour task.Time = 3600 * 1_000_000

// steady returns n tasks that bot did one after another, each in an hour, without a pause.
func steady(n int) []forecast.Span {
	var out []forecast.Span
	for i := range n {
		out = append(out, forecast.Span{Actor: "bot", From: task.Time(i) * hour, To: task.Time(i+1) * hour})
	}
	return out
}

// about reports whether a moment is within a tenth of the expected one.
func about(got, want task.Time) bool { return got >= want-want/10 && got <= want+want/10 }

func TestNothingIsForecastFromFewerThanTwenty(t *testing.T) {
	if forecast.Learn(steady(19), 19*hour) != nil {
		t.Error("19 tasks make a forecast")
	}
	if forecast.Learn(steady(24), 24*hour) == nil {
		t.Error("24 tasks in a day make none")
	}
	if got := forecast.Backtest(steady(19), nil, 19*hour, 1); got != nil {
		t.Errorf("%v", got)
	}
}

func TestNothingIsForecastFromLessThanADay(t *testing.T) {
	var minute []forecast.Span
	for i := range 180 {
		minute = append(minute, forecast.Span{Actor: "bot", From: task.Time(i) * hour / 10_800, To: task.Time(i+1) * hour / 10_800})
	}
	if forecast.Learn(minute, 30*24*hour) != nil {
		t.Error("180 closings in a minute make a forecast, because that was a month ago")
	}
	if got := forecast.Backtest(minute, nil, 30*24*hour, 1); got != nil {
		t.Errorf("%v", got)
	}
	if forecast.Lasted(minute) != hour/60 || forecast.Lasted(nil) != 0 {
		t.Errorf("a minute lasted %d", forecast.Lasted(minute))
	}
}

// TestQuickClosingsNeverMakeItLater: that somebody closes a few tasks in passing is no sign that the others work less.
func TestQuickClosingsNeverMakeItLater(t *testing.T) {
	chain := make([]forecast.Work, 30)
	for i := 1; i < len(chain); i++ {
		chain[i].After = []int32{int32(i - 1)}
	}
	for name, work := range map[string][]forecast.Work{"chain": chain, "free": make([]forecast.Work, 30)} {
		now := 48 * hour
		before := forecast.Done(forecast.Learn(two(48), now), work, 1)
		for _, by := range []string{"bot", "new"} {
			for n := 1; n <= 5; n++ {
				spans := two(48)
				for i := range n {
					spans = append(spans, forecast.Span{Actor: by + string(rune('a'+i)), From: now - hour/60, To: now})
				}
				if got := forecast.Done(forecast.Learn(spans, now), work, 1); got.Half > before.Half || got.Nine > before.Nine {
					t.Errorf("%s: %d closings by %s in a minute move the end from %d to %d h, at the latest from %d to %d h", name, n, by,
						before.Half/hour, got.Half/hour, before.Nine/hour, got.Nine/hour)
				}
			}
		}
	}
}

func TestWhatIsLeftTakesAsLongAsItTook(t *testing.T) {
	now := 24 * hour
	p := forecast.Learn(steady(24), now)
	if got := forecast.Done(p, make([]forecast.Work, 10), 1); !about(got.Half-now, 10*hour) {
		t.Errorf("ten tasks of an hour end after %d h", (got.Half-now)/hour)
	}
	// The same amount of work over twice the time: everything takes twice as long.
	p = forecast.Learn(steady(24), 48*hour)
	if got := forecast.Done(p, make([]forecast.Work, 10), 1); !about(got.Half-48*hour, 20*hour) {
		t.Errorf("at half the pace ten tasks end after %d h", (got.Half-48*hour)/hour)
	}
}

// two returns tasks that two workers did in parallel.
func two(n int) []forecast.Span {
	out := steady(n)
	for _, s := range steady(n) {
		s.Actor = "other"
		out = append(out, s)
	}
	return out
}

func TestDependenciesAreWaitedFor(t *testing.T) {
	now := 24*hour - 1 // the workers are almost always busy
	p := forecast.Learn(two(24), now)
	free := forecast.Done(p, make([]forecast.Work, 12), 1)
	chain := make([]forecast.Work, 12)
	for i := 1; i < len(chain); i++ {
		chain[i].After = []int32{int32(i - 1)}
	}
	chained := forecast.Done(p, chain, 1)
	if chained.Half-now < (free.Half-now)*3/2 {
		t.Errorf("a chain takes %d h, the same without an order %d h", (chained.Half-now)/hour, (free.Half-now)/hour)
	}
	circle := []forecast.Work{{After: []int32{1}}, {After: []int32{0}}}
	if got := forecast.Done(p, circle, 1); got.Half <= now {
		t.Error("a circle is done at once")
	}
}

func TestGatesTakeTheirTime(t *testing.T) {
	spans := steady(20)
	for i := range 10 {
		at := task.Time(20+10*i) * hour
		spans = append(spans, forecast.Span{Gate: "slow", Actor: "bot", From: at, To: at + 10*hour})
	}
	p := forecast.Learn(spans, 120*hour)
	quick, slow := forecast.Done(p, make([]forecast.Work, 4), 1), forecast.Done(p, slices.Repeat([]forecast.Work{{Gate: "slow"}}, 4), 1)
	if slow.Half-120*hour < 5*(quick.Half-120*hour) {
		t.Errorf("slow %d h, quick %d h", (slow.Half-120*hour)/hour, (quick.Half-120*hour)/hour)
	}
}

func TestTheSameQuestionHasTheSameAnswer(t *testing.T) {
	spans := two(30)
	for i := range spans {
		spans[i].To += task.Time(i*i) * hour / 50
	}
	p := forecast.Learn(spans, 60*hour)
	work := make([]forecast.Work, 50)
	for i := range work {
		if i > 3 {
			work[i].After = []int32{int32(i / 2)}
		}
	}
	work[0].Began = 59 * hour
	first := forecast.Done(p, work, 7)
	if first.Half > first.Nine || first.Half <= 60*hour {
		t.Errorf("%+v", first)
	}
	for range 3 {
		if again := forecast.Done(forecast.Learn(spans, 60*hour), work, 7); again != first {
			t.Errorf("%+v, then %+v", first, again)
		}
	}
}

func TestTooManyTasksAreForecastByThePace(t *testing.T) {
	now := 24 * hour
	got := forecast.Done(forecast.Learn(steady(24), now), make([]forecast.Work, forecast.MaxOpen+5_000), 1)
	if want := task.Time(forecast.MaxOpen+5_000) * hour; !about(got.Half-now, want) {
		t.Errorf("%d h, want about %d h", (got.Half-now)/hour, want/hour)
	}
}

func TestEarlierForecastsAreHeldAgainstWhatHappened(t *testing.T) {
	points := forecast.Backtest(steady(80), nil, 80*hour, 1) // all of them were planned at the beginning
	if len(points) < 5 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		if p.Closed != 80*hour || p.Open != 0 || p.Tasks != 80-int(p.At/hour) || p.At < 24*hour {
			t.Errorf("at %d h: %+v", p.At/hour, p)
		}
		if p.Said.Nine < p.Said.Half || p.Said.Half <= p.At || p.Met == nil || *p.Met != (80*hour <= p.Said.Nine) {
			t.Errorf("at %d h: %+v", p.At/hour, p)
		}
		if late, ok := p.Late(80 * hour); !ok || late != 80*hour-p.Said.Half {
			t.Errorf("at %d h: late by %d h", p.At/hour, late/hour)
		}
	}
}

// TestWhatIsStillOpenIsAForecastMissed: a task that was open then counts whether or not it was closed since.
func TestWhatIsStillOpenIsAForecastMissed(t *testing.T) {
	open := []forecast.Work{{}, {After: []int32{0}}, {Created: 100 * hour}} // two were there from the beginning, one came later
	for _, at := range []struct {
		now task.Time
		met string
	}{{60 * hour, "not known yet"}, {200 * hour, "no"}} {
		points := forecast.Backtest(steady(60), open, at.now, 1)
		if len(points) == 0 {
			t.Fatal("no point")
		}
		last := points[len(points)-1]
		if last.Open != 2 || last.Tasks != 2+60-int(last.At/hour) || last.Closed != 0 || last.Verdict() != at.met {
			t.Errorf("%d h later: %+v, %s", at.now/hour, last, last.Verdict())
		}
		if late, ok := last.Late(at.now); ok != (at.met == "no") || ok && late != at.now-last.Said.Half {
			t.Errorf("%d h later: late by %d h, %t", at.now/hour, late/hour, ok)
		}
	}
}

func TestTheWayOfATask(t *testing.T) {
	track := forecast.Track{Created: hour, Closed: 10 * hour, Marks: []forecast.Mark{
		{At: 2 * hour, To: forecast.Held, Actor: "old"}, {At: 3 * hour, To: forecast.Closed}, {At: 4 * hour, To: forecast.Open},
		{At: 5 * hour, To: forecast.Held, Actor: "ann"}, {At: 6 * hour, To: forecast.Open}, {At: 7 * hour, To: forecast.Held, Actor: "bob"},
		{At: 9 * hour, To: forecast.InReview}, {At: 10 * hour, To: forecast.Closed}, {At: 11 * hour, To: forecast.Held, Actor: "late"},
	}}
	if from, by, ok := track.Span(); from != 5*hour || by != "bob" || !ok {
		t.Errorf("from %d h by %s", from/hour, by)
	}
	if _, _, ok := (forecast.Track{Created: hour, Closed: 2 * hour}).Span(); ok {
		t.Error("nobody took it, and it has a span")
	}
	ms := int64(hour) / 1000
	want := []forecast.Spent{
		{State: forecast.Open, Tasks: 1, Half: 3 * ms, Nine: 3 * ms}, {State: forecast.Held, Tasks: 1, Half: 4 * ms, Nine: 4 * ms},
		{State: forecast.InReview, Tasks: 1, Half: ms, Nine: ms},
	}
	if got := forecast.TimeSpent([]forecast.Track{track}); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
