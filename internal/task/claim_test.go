package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestALeaseHasLapsedFromItsVeryEnd(t *testing.T) {
	claim := &task.Claim{Actor: "claude", ExpiresAt: now}
	for _, c := range []struct {
		name  string
		claim *task.Claim
		at    task.Time
		live  bool
	}{
		{"before its end", claim, now - 1, true},
		{"at its end", claim, now, false},
		{"after its end", claim, now + 1, false},
		{"without expiry", &task.Claim{}, now, true},
		{"no claim", nil, now, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.claim.Live(c.at); got != c.live {
				t.Errorf("Live = %v", got)
			}
			if got := (&task.Task{Claim: c.claim}).Lapsed(c.at); got != (c.claim != nil && !c.live) {
				t.Errorf("Lapsed = %v", got)
			}
		})
	}
}

func TestALapsedTaskReadsAsItWillBeSwept(t *testing.T) {
	before := held(claude)
	end := before.Claim.ExpiresAt
	if got := before.At(end - 1); got != before {
		t.Error("a live claim was read as lapsed")
	}
	want := held(claude)
	want.Status, want.Claim, want.Version, want.Attempts, want.UpdatedAt = task.Open, nil, 6, 1, end
	want.Lapse, want.LastEvent, want.Failures = task.ThisEvent, task.ThisEvent, 1
	if d := cmp.Diff(want, before.At(end+99)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(held(claude), before); d != "" {
		t.Error("the record itself was changed", d)
	}
	if one := open(); one.Expired() != one {
		t.Error("Expired changed a task without a claim")
	}
}

func TestFence(t *testing.T) {
	for _, c := range []struct {
		name  string
		ended bool
		fence *int64
		says  string
	}{
		{"none", true, nil, ""},
		{"the newest", false, ptr(int64(3)), ""},
		{"an earlier one", false, ptr(int64(2)), "claimed again since fence 2"},
		{"ended by somebody else", true, ptr(int64(3)), "ended by somebody else"},
		{"one that never was", false, ptr(int64(4)), "never had a claim with fence 4"},
		{"negative", false, ptr(int64(-1)), "claimed again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := (&task.Task{ID: "demo-1", Fence: 3, FenceEnded: c.ended}).CheckFence(c.fence)
			if c.says == "" {
				passes(t, err)
				return
			}
			refused(t, err, fault.Conflict, c.says)
		})
	}
}

func TestALapseAloneLeavesTheFenceGood(t *testing.T) {
	swept := held(claude).Expired()
	passes(t, swept.CheckFence(ptr(int64(3))))
	again, _, err := swept.ClaimBy(other, task.Policy{}, nil, nil, now)
	passes(t, err)
	refused(t, again.CheckFence(ptr(int64(3))), fault.Conflict)
}

func TestVersion(t *testing.T) {
	one := open()
	passes(t, one.CheckVersion(nil))
	passes(t, one.CheckVersion(ptr(int64(4))))
	refused(t, one.CheckVersion(ptr(int64(3))), fault.Conflict, "has version 4, not 3")
}

func TestAFreshClaim(t *testing.T) {
	before := with(open(), func(x *task.Task) { x.FenceEnded, x.Attempts, x.Parts, x.OpenChildren = true, 2, 1, 1 })
	after, renewed, err := before.ClaimBy(claude, task.Policy{}, nil, nil, now)
	passes(t, err)
	want := with(open(), func(x *task.Task) { x.Attempts, x.Parts, x.OpenChildren = 2, 1, 1 })
	want.Status, want.Version, want.UpdatedAt, want.Fence, want.LastHolder = task.InProgress, 5, now, 3, "claude/3"
	want.HeldSince = task.ThisEvent
	want.Claim = &task.Claim{Task: "demo-1", Actor: "claude/3", Fence: 3, Version: 5, ClaimedAt: now, ExpiresAt: now.Add(2 * hour), LeaseMs: 2 * hour}
	if d := cmp.Diff(want, after); d != "" || renewed {
		t.Error(renewed, d)
	}
	if before.Claim != nil || before.Fence != 2 {
		t.Error("the record itself was changed")
	}
}

func TestAClaimWithoutExpiry(t *testing.T) {
	after, _, err := open().ClaimBy(claude, task.Policy{}, nil, ptr(int64(0)), now)
	passes(t, err)
	if after.Claim.ExpiresAt != 0 || after.Claim.LeaseMs != 0 || !after.Claim.Live(now.Add(task.MaxLeaseMs)) {
		t.Errorf("%+v", after.Claim)
	}
}

func TestClaimingWorkInProgressThatNobodyHoldsKeepsTheVersion(t *testing.T) {
	after, _, err := with(open(), func(x *task.Task) { x.Status = task.InProgress }).ClaimBy(claude, task.Policy{}, nil, nil, now)
	passes(t, err)
	if after.Version != 4 || after.Claim.Version != 4 || after.Fence != 3 || after.UpdatedAt != now-1 {
		t.Errorf("%+v", after)
	}
}

func TestClaimingALapsedTaskIsAFreshClaimOfTheSweptOne(t *testing.T) {
	one := held(claude)
	late := one.Claim.ExpiresAt
	for _, fence := range []*int64{nil, ptr(int64(3))} {
		after, renewed, err := one.ClaimBy(claude, task.Policy{}, fence, nil, late)
		passes(t, err)
		if renewed || after.Fence != 4 || after.Version != 7 || after.Attempts != 1 {
			t.Errorf("renewed %v, %+v", renewed, after)
		}
	}
}

func TestRefusedClaims(t *testing.T) {
	long := int64(task.MaxLeaseMs) + 1
	for _, c := range []struct {
		name         string
		task         *task.Task
		by           task.Actor
		fence, lease *int64
		kind         fault.Kind
		says         []string
	}{
		{"held by another", held(alice), claude, nil, nil, fault.Declined, []string{"demo-1 is held by alice until ", "(claimed at ", "tasker release demo-1"}},
		{"held by another, a human asks", held(claude), alice, nil, nil, fault.Declined, []string{"held by claude/3 until"}},
		{"held by another instance of the name", held(other), claude, ptr(int64(3)), nil, fault.Declined, []string{"held by claude/4"}},
		{"held by its own name without the fence", held(claude), claude, nil, nil, fault.Declined, []string{"held by claude/3 until", "tasker renew demo-1"}},
		{"its own hold with a stale fence", held(claude), claude, ptr(int64(2)), nil, fault.Conflict, []string{"claimed again since fence 2"}},
		{"a stale fence on a task nobody holds", open(), claude, ptr(int64(1)), nil, fault.Conflict, nil},
		{
			"a stale fence before anything else", with(held(alice), func(x *task.Task) { x.Status = task.Done }), claude, ptr(int64(1)), nil,
			fault.Conflict, nil,
		},
		{"held without expiry", with(held(alice), func(x *task.Task) { x.Claim.ExpiresAt = 0 }), claude, nil, nil, fault.Declined,
			[]string{"held by alice until it is released"}},
		{"done", with(open(), func(x *task.Task) { x.Status = task.Done }), claude, nil, nil, fault.Declined, []string{"demo-1 is done", "tasker reopen demo-1"}},
		{"cancelled", with(open(), func(x *task.Task) { x.Status = task.Cancelled }), alice, nil, nil, fault.Declined, []string{"is cancelled"}},
		{"in review", with(open(), func(x *task.Task) { x.Status = task.InReview }), claude, nil, nil, fault.Declined, []string{"in review", "tasker return demo-1"}},
		{"waiting", with(open(), func(x *task.Task) { x.OpenDeps = 2 }), claude, nil, nil, fault.Declined, []string{"waits for 2 open tasks"}},
		{"a question", with(open(), func(x *task.Task) { x.Questions = 1 }), claude, nil, nil, fault.Declined, []string{"1 open blocking question"}},
		{"human_only", with(open(), func(x *task.Task) { x.Autonomy = "human_only" }), claude, nil, nil, fault.Declined,
			[]string{"demo-1 is not for claude/3", "human_only"}},
		{"mayExecute", with(open(), func(x *task.Task) { x.MayExecute = []string{"ops"} }), alice, nil, nil, fault.Declined, []string{"one of ops", "has lead"}},
		{"a lease too long", open(), claude, nil, &long, fault.Invalid, []string{"366 days"}},
		{"a negative lease", held(claude), claude, ptr(int64(3)), ptr(int64(-1)), fault.Invalid, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, renewed, err := c.task.ClaimBy(c.by, task.Policy{}, c.fence, c.lease, now)
			if after != nil || renewed {
				t.Errorf("a refusal returned %+v, %v", after, renewed)
			}
			refused(t, err, c.kind, c.says...)
		})
	}
}

func TestRenewal(t *testing.T) {
	before := with(held(claude), func(x *task.Task) {
		x.OpenDeps, x.Questions, x.Version, x.MayExecute = 1, 1, 9, []string{"ops"} // none of it counts while it is held
	})
	for _, c := range []struct {
		name  string
		lease *int64
		want  int64
		until task.Time
	}{
		{"keeps the claim's own lease", nil, 2 * hour, now.Add(2 * hour)},
		{"takes a new lease", ptr(hour), hour, now.Add(hour)},
		{"takes no expiry", ptr(int64(0)), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, renewed, err := before.ClaimBy(claude, task.Policy{LeaseMs: ptr(int64(5))}, ptr(int64(3)), c.lease, now)
			passes(t, err)
			want := *before
			claim := *before.Claim
			claim.RenewedAt, claim.ExpiresAt, claim.LeaseMs = now, c.until, c.want
			want.Claim = &claim
			if d := cmp.Diff(&want, after); d != "" || !renewed {
				t.Error(renewed, d)
			}
			if before.Claim.RenewedAt != 0 {
				t.Error("the record itself was changed")
			}
		})
	}
}

func TestAnAgentDoesNotRenewWhatHasBecomeHumanOnly(t *testing.T) {
	one := with(held(claude), func(x *task.Task) { x.Autonomy = "human_only" })
	_, _, err := one.ClaimBy(claude, task.Policy{}, ptr(int64(3)), nil, now)
	refused(t, err, fault.Declined, "human_only")
}

func TestRelease(t *testing.T) {
	for _, c := range []struct {
		name   string
		by     task.Actor
		failed bool
		ended  bool
	}{
		{"by the holder", claude, false, false},
		{"by the holder, failed", claude, true, false},
		{"by a human", alice, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, who, err := held(claude).ReleaseBy(c.by, nil, c.failed, now)
			passes(t, err)
			want := held(claude)
			want.Status, want.Claim, want.Version, want.UpdatedAt, want.FenceEnded = task.Open, nil, 6, now, c.ended
			if c.failed {
				want.Attempts, want.Failures = 1, 1
			}
			if d := cmp.Diff(want, after); d != "" || who != "claude/3" {
				t.Error(who, d)
			}
		})
	}
	for _, by := range []task.Actor{other, ghost, {Name: "claude", Declared: true}} {
		_, _, err := held(claude).ReleaseBy(by, nil, false, now)
		refused(t, err, fault.Declined, "demo-1 is held by claude/3 until")
	}
}

func TestReleasingWhatNobodyHoldsIsASuccessThatChangesNothing(t *testing.T) {
	lapsed := held(claude)
	for _, one := range []*task.Task{open(), lapsed} {
		after, who, err := one.ReleaseBy(ghost, nil, true, now.Add(2*hour))
		passes(t, err)
		if after != one || who != "" {
			t.Errorf("%q %+v", who, after)
		}
	}
	_, _, err := open().ReleaseBy(alice, ptr(int64(1)), false, now)
	refused(t, err, fault.Conflict)
}

func TestWritesOfTheHolderExtendItsLease(t *testing.T) {
	one := held(claude)
	claim, ok := one.Extended(claude, now)
	want := *one.Claim
	want.ExpiresAt = now.Add(2 * hour)
	if d := cmp.Diff(want, claim); !ok || d != "" {
		t.Error(ok, d)
	}
	for name, c := range map[string]struct {
		task *task.Task
		by   task.Actor
		at   task.Time
	}{
		"somebody else":   {one, other, now},
		"lapsed":          {one, claude, now.Add(hour)},
		"nobody holds it": {open(), claude, now},
		"no expiry":       {with(held(claude), func(x *task.Task) { x.Claim.ExpiresAt, x.Claim.LeaseMs = 0, 0 }), claude, now},
	} {
		if _, ok := c.task.Extended(c.by, c.at); ok {
			t.Errorf("%s: the lease was extended", name)
		}
	}
}

func TestChangedSince(t *testing.T) {
	if held(claude).ChangedSince() || open().ChangedSince() {
		t.Error("ChangedSince reports a change where there is none")
	}
	if !with(held(claude), func(x *task.Task) { x.Version++ }).ChangedSince() {
		t.Error("the record itself was changed")
	}
}

func TestHeldByOther(t *testing.T) {
	one := held(claude)
	if one.HeldByOther(claude, now) || !one.HeldByOther(other, now) || !one.HeldByOther(alice, now) {
		t.Error("HeldByOther does not compare the whole name")
	}
	if one.HeldByOther(alice, now.Add(hour)) || open().HeldByOther(alice, now) {
		t.Error("a lapsed or missing claim counts as held")
	}
}

// Whatever happens, at most one claim can write: of all the fences ever given, only the newest passes, and not even that
// one after somebody else has ended its claim.
func TestOnlyTheNewestFenceWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := &task.Task{ID: "demo-1", Status: task.Open, Version: 1}
		at := now
		var given []int64
		actors := []task.Actor{claude, other, alice, ghost}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			a := rapid.SampledFrom(actors).Draw(t, "actor")
			at = at.Add(rapid.Int64Range(0, 2*hour).Draw(t, "wait"))
			one = one.At(at)
			before := *one
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				if after, _, err := one.ClaimBy(a, task.Policy{}, nil, ptr(hour), at); err == nil {
					if before.Claim != nil {
						t.Fatal("a held task was claimed")
					}
					one = after
					given = append(given, one.Claim.Fence)
				}
			case 1:
				if after, _, err := one.ReleaseBy(a, nil, false, at); err == nil {
					one = after
				}
			case 2:
				to := rapid.SampledFrom(task.Statuses).Draw(t, "to")
				if m, err := one.MoveBy(a, task.Policy{}, task.Move{To: to}, task.Standing{}, at); err == nil {
					one = m.After
				}
			}
			if one.Claim != nil && one.Status != task.InProgress {
				t.Fatalf("a claim on a task that is %s", one.Status)
			}
			if one.Version < before.Version || one.Version > before.Version+1 {
				t.Fatalf("the version went from %d to %d", before.Version, one.Version)
			}
			for i, fence := range given {
				if newest := i == len(given)-1; one.CheckFence(&fence) == nil && !newest {
					t.Fatalf("fence %d of %v is still accepted", fence, given)
				}
			}
			if one.Claim != nil && one.CheckFence(&one.Claim.Fence) != nil {
				t.Fatal("the holder's own fence is refused")
			}
		}
	})
}
