package task

import "testing"

// TestUsingToolsKeepsAClaimWithoutHidingThatItStalls: a stall is when half of the lease is left or less.
func TestUsingToolsKeepsAClaimWithoutHidingThatItStalls(t *testing.T) {
	const hour = int64(60 * 60 * 1000)
	held := func(left int64) *Task {
		return &Task{Claim: &Claim{Actor: "bot", LeaseMs: 2 * hour, ExpiresAt: Time(0).Add(left)}}
	}
	if c, longer := held(90 * 60 * 1000).Kept(0); longer {
		t.Errorf("a claim that lasts for most of its lease ends at %v", c.ExpiresAt)
	}
	c, longer := held(10 * 60 * 1000).Kept(0)
	if !longer || c.ExpiresAt != Time(0).Add(hour) {
		t.Errorf("the claim ends at %v, %v", c.ExpiresAt, longer)
	}
	if _, longer := (&Task{Claim: &Claim{Actor: "bot"}}).Kept(0); longer {
		t.Error("a claim without a lease got one")
	}
	for until, want := range map[int64]int64{4 * hour: 4*hour + hour/4, 100 * hour: 6 * hour} {
		if c, longer := held(hour).Awaited(Time(0).Add(until), 0); !longer || c.ExpiresAt != Time(0).Add(want) {
			t.Errorf("until %d h the claim ends at %v, %v", until/hour, c.ExpiresAt, longer)
		}
	}
	if _, longer := held(2*hour).Awaited(Time(0).Add(hour), 0); longer {
		t.Error("a claim was shortened")
	}
}
