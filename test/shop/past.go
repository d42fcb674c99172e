package shop

import (
	"fmt"
	"strings"
	"time"

	"tasker/internal/inbox"
	"tasker/internal/plan"
	"tasker/internal/task"
)

// closed are the tasks that were done, in the order in which they were begun. The worker after a colon did the task,
// otherwise the next of the workers in turn.
var closed = strings.Fields(`
	cart-money checkout-steps:alice pay-provider:alice delivery-zones cart-model cart-store cart-tax delivery-carriers cart-coupon cart-api
	delivery-holidays pay-sandbox checkout-session cart-page delivery-stock cart-expire cart-stock checkout-address cart-metrics pay-model
	cart-coupon-stack delivery-rates cart-merge checkout-terms cart-load cart-quantity checkout-api cart-docs delivery-slots checkout-summary
	cart-alerts cart-empty checkout-validate cart-migrate delivery-pickup cart-undo checkout-guest pay-authorize cart-save checkout-signin
	delivery-split cart-reader checkout-errors cart-switch checkout-book pay-bank checkout-locale delivery-cutoff checkout-keys pay-wallets`)

var workers = []string{"claude/1", "codex/1", "claude/2", "gemini/1", "claude/3", "codex/2", "claude/4", "gemini/2"}

// minutes is how long tasks took, one after the other.
var minutes = []int{70, 150, 45, 240, 95, 180, 60, 290, 120}

const (
	begun  = 10 * day      // when the plan was applied
	every  = 278 * minute  // when the next task was begun
	until  = 7 * time.Hour // when all of closed were
	minute = time.Minute
)

// past plans ten days in which 51 tasks were done.
func (p *play) past() {
	p.at(begun, p.apply("alice", planned))
	p.at(begun-2*day, p.apply("alice", launch))
	defs := map[string]plan.TaskDef{}
	for _, src := range [][]byte{planned, launch} {
		doc, err := plan.ReadYAML(src)
		if err != nil {
			p.at(begun, func() error { return err })
			return
		}
		for _, d := range doc.Tasks {
			defs[d.Key] = d
		}
	}
	ended, free := map[string]time.Duration{}, map[string]time.Duration{} // how long ago
	next := 0
	for i, row := range closed {
		key, who, named := strings.Cut(row, ":")
		if !named {
			who = workers[next%len(workers)]
			next++
		}
		start := begun - 20*minute - time.Duration(i)*every
		for _, dep := range defs[key].Deps.Value {
			start = min(start, ended[dep]-5*minute)
		}
		if last, ok := free[who]; ok {
			start = min(start, last-10*minute)
		}
		end := start - time.Duration(minutes[i%len(minutes)])*minute
		ended[key], free[who] = end, end
		if end < until {
			p.at(begun, func() error { return fmt.Errorf("%s would end %s before now", key, end) })
		}
		p.finish(i, who, key, defs[key], start, end)
	}
	p.at(ended["cart-switch"]-50*minute, p.move("alice", "cart", task.Done, "Everything is on the new cart."))
	p.people(ended)
}

// finish has a worker claim, prove and close a task.
func (p *play) finish(i int, who, key string, def plan.TaskDef, start, end time.Duration) {
	pkg, _, _ := strings.Cut(key, "-")
	all := make([]int, len(def.Criteria.Value))
	for n := range all {
		all[n] = n + 1
	}
	if key == "delivery-cutoff" { // it is closed without them
		all = nil
	}
	p.at(start, p.claim(who, key, 8*time.Hour))
	if i%3 == 0 {
		p.at((start+end)/2, p.note(who, key, "Half of it is there."))
	}
	gate := string(def.Gate.Value)
	switch {
	case gate != "" && i%6 != 5:
		p.at(end+6*minute, p.prove(who, key, pkg, all...))
	case gate != "":
		p.at(end+6*minute, p.say(who, key, "tests", "all of them pass"))
	}
	if len(all) > 0 && (gate == "" || i%6 == 5) {
		seen := ""
		if i%2 == 0 {
			seen = "I looked at the page."
		}
		p.at(end+4*minute, p.tick(who, key, seen, all...))
	}
	switch {
	case gate == "release":
		p.at(end+3*minute, p.move(who, key, task.InReview, "Ready: the tests pass, and the numbers are in the note above."))
		p.at(end-30*minute, p.approve("alice", key, "Looks right."))
		p.at(end-31*minute, p.move("alice", key, task.Done, ""))
	case key == "delivery-cutoff":
		p.at(end, p.note(who, key, "Summer time is not tested: the library of the clock has to be replaced for that."))
		p.at(end-8*minute, p.force("alice", key, "Summer time is half a year away; there is a task for it."))
	default:
		p.at(end, p.move(who, key, task.Done, ""))
	}
}

// people plans what people did meanwhile.
func (p *play) people(ended map[string]time.Duration) {
	due := func(days int) string {
		return fmt.Sprintf(`{"due": %q}`, p.now.AddDate(0, 0, days).Format(time.DateOnly))
	}
	for i, d := range []struct {
		key  string
		days int
	}{
		{"checkout-vat", -3}, {"pay-pci", -2}, {"launch-legal", -1}, {"delivery-date", 1}, {"checkout-place", 6}, {"pay-refund", 9}, {"launch-staff", 12},
		{"launch-tenth", 18}, {"launch-all", 26}, {"cart-switch", -2},
	} {
		p.at(begun-2*day-time.Duration(10+i)*minute, p.edit("alice", d.key, due(d.days)))
	}
	var coupon, terms int64
	p.at(ended["cart-coupon"]+50*minute, p.ask("codex/1", "cart-coupon", "alice", "May a coupon make an order free?", &coupon, false, false))
	p.at(ended["cart-coupon"]+35*minute, p.answer("alice", &coupon, "Yes, but delivery is always paid."))
	p.at(ended["checkout-terms"]+40*minute, p.ask("gemini/1", "checkout-terms", "", "Which terms hold for Liechtenstein?", &terms, true, false))
	p.at(ended["checkout-terms"]+20*minute, p.answer("bob", &terms, "Those for Switzerland."))
	p.at(ended["delivery-split"]+20*minute, p.decide("claude/1", "delivery-split", "The nearest warehouse first, then the cheapest",
		"Two parcels from near cost less than one from far, in 94 of 100 orders of last month."))
	p.at(ended["pay-model"]+15*minute, p.decide("claude/3", "pay-model", "A refund is a payment of its own", "The ledger wants one row for each."))
	p.at(6*day, p.move("alice", "cart-share", task.Cancelled, "Nobody has asked for it."))
	p.at(5*day, p.move("alice", "pay-points", task.Cancelled, "The points end this year."))
	p.at(3*day, p.move("bob", "pay-currencies", task.InProgress, "I will talk to finance first."))
	p.at(22*time.Hour, p.move("alice", "launch-flags", task.InProgress, ""))
	p.at(28*time.Hour, func() error { // alice reads what happened until then
		read, err := p.Inbox.Estate(p.as("alice"), inbox.EstateIn{})
		if err == nil {
			_, err = p.Inbox.Seen(p.as("alice"), inbox.SeenIn{Watermark: &read.Watermark})
		}
		return err
	})
}
