package shop

import (
	"time"

	"tasker/internal/task"
)

// present plans the last two days: what is held, reviewed, asked, failing and left.
func (p *play) present() {
	const hour = time.Hour
	// The worst: on the critical path, quiet, and its lease ends in 12 minutes.
	p.at(5*hour, p.claim("claude/1", "delivery-date", 2*hour))
	p.at(4*hour+10*minute, p.note("claude/1", "delivery-date", "Slots and cut-off times are joined; holidays are next."))
	p.at(3*hour, p.prove("claude/1", "delivery-date", "delivery/date", 1))
	p.at(108*minute, p.note("claude/1", "delivery-date", "A holiday moves the date by one day too many where the warehouse is in another region."))

	// Held, and waiting for an answer.
	p.at(3*hour+5*minute, p.claim("claude/2", "pay-invoice", 4*hour))
	p.at(2*hour, p.prove("claude/2", "pay-invoice", "pay/invoice", 1))
	p.at(50*minute, p.ask("claude/2", "pay-invoice", "alice", "One series of invoice numbers for all countries, or one for each?", &p.made.Question, true, false))
	p.at(20*minute, p.note("claude/2", "pay-invoice", "Meanwhile I write what both have in common."))

	// At work.
	p.at(100*minute, p.claim("claude/3", "delivery-label", 2*hour))
	p.at(35*minute, p.prove("claude/3", "delivery-label", "delivery/label", 1))
	p.at(6*minute, p.note("claude/3", "delivery-label", "All carriers but one accept the label."))
	p.at(80*minute, p.claim("gemini/1", "pay-fraud", 2*hour))
	p.at(15*minute, p.tick("gemini/1", "pay-fraud", "I compared the list of last year by hand.", 1))
	p.at(2*hour-minute, p.claim("gemini/2", "launch-dashboard", 2*hour))
	p.at(25*minute, p.prove("gemini/2", "launch-dashboard", "dashboard", 1))
	p.at(4*minute, p.claim("codex/1", "checkout-note", 2*hour))
	p.at(3*minute, p.ask("codex/1", "checkout-note", "bob", "How long may the note be?", nil, false, false))

	// Quiet for hours, under a lease of a day.
	p.at(6*hour, p.claim("claude/4", "checkout-fast", day))
	p.at(4*hour, p.note("claude/4", "checkout-fast", "The address book takes half of the time."))

	// Its lease ran out 35 minutes ago.
	p.at(2*hour+35*minute, p.claim("codex/2", "delivery-costs", 2*hour))

	// Asked, and given back.
	p.at(14*hour, p.claim("codex/2", "checkout-resume", 2*hour))
	p.at(13*hour, p.ask("codex/2", "checkout-resume", "", "For how long may a checkout be resumed?", nil, true, true))
	p.at(8*hour, p.claim("gemini/1", "pay-debit", 2*hour))
	p.at(7*hour, p.ask("gemini/1", "pay-debit", "alice", "Which of our two banks signs the mandates?", nil, true, true))

	// In review: one with everything, one that a lead approves, one that came back once.
	p.at(9*hour, p.claim("gemini/2", "checkout-gift", 8*hour))
	p.at(3*hour+10*minute, p.prove("gemini/2", "checkout-gift", "checkout/gift", 1))
	p.at(3*hour, p.tick("gemini/2", "checkout-gift", "Printed a card with 200 characters.", 2))
	p.at(150*minute, p.move("gemini/2", "checkout-gift", task.InReview, "Wrapping and message are there. Look at the card: the font is smaller than on the old one.",
		"checkout/gift/wrap.go", "checkout/gift/wrap_test.go", "web/checkout/gift.html"))
	p.at(10*hour, p.claim("codex/1", "delivery-customs", 8*hour))
	p.at(5*hour+30*minute, p.prove("codex/1", "delivery-customs", "delivery/customs", 1, 2))
	p.at(5*hour+20*minute, p.refused("codex/1", "delivery-customs"))
	p.at(5*hour+10*minute, p.move("codex/1", "delivery-customs", task.InReview, "A form of each country was accepted by the carrier's sandbox. The value is what was paid, with discounts taken off.",
		"delivery/customs/form.go", "delivery/customs/form_test.go"))
	p.at(34*hour, p.claim("claude/3", "pay-webhooks", 8*hour))
	p.at(30*hour+10*minute, p.prove("claude/3", "pay-webhooks", "pay/webhooks", 1, 2))
	p.at(30*hour, p.move("claude/3", "pay-webhooks", task.InReview, "Both are tested against the sandbox."))
	p.at(26*hour, p.move("bob", "pay-webhooks", task.Open, "A webhook that comes twice at once counts twice: try it with two clients."))
	p.at(11*hour, p.claim("claude/3", "pay-webhooks", 8*hour))
	p.at(7*hour+40*minute, p.prove("claude/3", "pay-webhooks", "pay/webhooks", 1))
	p.at(7*hour+30*minute, p.move("claude/3", "pay-webhooks", task.InReview, "Two clients at once count once now: the key of the webhook is unique in the table.",
		"pay/webhooks/take.go", "pay/webhooks/take_test.go", "migrations/0041_webhook_key.sql"))

	// Four attempts that led nowhere.
	p.at(40*hour, p.claim("gemini/1", "checkout-vat", 4*hour))
	p.at(38*hour, p.giveUp("gemini/1", "checkout-vat", "The service answers 503 for every second number."))
	p.at(32*hour, p.claim("codex/2", "checkout-vat", hour)) // it lapses
	p.at(24*hour, p.claim("gemini/2", "checkout-vat", 4*hour))
	p.at(21*hour, p.giveUp("gemini/2", "checkout-vat", "Its sandbox knows no number of Greece."))
	p.at(6*hour+20*minute, p.claim("gemini/1", "checkout-vat", 4*hour))
	p.at(5*hour+5*minute, p.giveUp("gemini/1", "checkout-vat", "503 again, for three hours: it has to be asked later, and nobody says how."))
}
