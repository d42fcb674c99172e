package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tasker/test/shop"
)

// TestPagesOneCanDecideFrom opens what people decide from, in both themes and on a phone: what a task waits for in the
// end, a question asked once, what was handed over, and both sides of each conflict.
func TestPagesOneCanDecideFrom(t *testing.T) {
	t.Parallel()
	s := shopping(t)
	b := open(t, chromedp.WithNewBrowserContext())
	b.watch()
	text := func(selector string) string {
		return js[string](b, `(document.querySelector("`+selector+`")?.innerText ?? "").replace(/\s+/g, " ")`)
	}
	has := func(selector string, wants ...string) {
		b.t.Helper()
		for _, want := range wants {
			if got := text(selector); !strings.Contains(got, want) {
				b.t.Errorf("%s does not have %q: %.400s", selector, want, got)
			}
		}
	}
	for _, w := range []struct {
		name, scheme  string
		width, height int64
	}{{"light", "light", 1280, 800}, {"dark", "dark", 1280, 800}, {"phone", "light", 390, 844}} {
		if w.scheme == "dark" && !long {
			continue // only colours differ, and TestEveryPage looks at these
		}
		t.Run(w.name, func(t *testing.T) {
			b.t = t
			b.scheme(w.scheme)
			b.do(chromedp.EmulateViewport(w.width, w.height))

			b.visit(s.base + "/t/shop-60")
			has("#now h2", "Waits for "+shop.Stalled+" ", "(claude/1, quiet ")
			if top := js[float64](b, `document.querySelector("#now h2").getBoundingClientRect().top`); top > 300 {
				t.Errorf("the cause is at %.0f", top)
			}

			b.stands()

			b.visit(s.base + "/t/" + shop.Asking)
			if n := js[int](b, `document.querySelector("main").textContent.split("One series of invoice numbers").length - 1`); n != 1 {
				t.Errorf("the question is on the page %d times", n)
			}

			b.visit(s.base + "/t/" + shop.Approval)
			has("#review", "by codex/1", "A form of each country was accepted", "run", "delivery/customs/form.go")
			has("#now", "tasker approve "+shop.Approval, "tasker return "+shop.Approval)

			b.visit(s.base + "/t/" + shop.Urgent)
			has("#now h2", "Done ", " ago, by ")

			b.visit(s.base + "/p/shop/inbox")
			row := func(id string) string { return `.need[data-key^='` + id + `']` }
			has(row("approval_requested:"+shop.Approval), "A form of each country", "2 of 2 criteria: 2 run", "tasker approve", "tasker return")
			has(row("failing:"+shop.Failing), "Last try: gemini/1, 5 h ago", "4 failed attempts", "503 again")
			if rows, tasks := js[int](b, `document.querySelectorAll(".need:has(.disputes)").length`),
				js[int](b, `new Set([...document.querySelectorAll(".need:has(.disputes) .id")].map((e) => e.textContent)).size`); rows == 0 || rows != tasks {
				t.Errorf("the disagreements about %d tasks are %d rows", tasks, rows)
			}
			if raw := js[string](b, `document.querySelector("main").innerText.match(/in_progress|frees \d|\x60/)?.[0] ?? ""`); raw != "" {
				t.Errorf("the inbox says %q", raw)
			}
			b.fits(w.width)
			b.stands()

			b.visit(s.base + "/p/shop/conflicts")
			if n := js[int](b, `document.querySelectorAll(".conflicts .settle").length`); n != 6 {
				t.Errorf("%d conflicts are shown, want 6", n)
			}
			if n := js[int](b, `[...document.querySelectorAll(".conflicts .settle")].filter((e) => e.querySelectorAll(".acts .cmd").length !== 2).length`); n > 0 {
				t.Errorf("%d conflicts do not offer two commands", n)
			}
			if raw := js[bool](b, `document.querySelector("main").innerText.includes("in_progress")`); raw {
				t.Error("a status is shown as in_progress")
			}
			b.fits(w.width)
			b.stands()
			for _, wrong := range b.wrong() {
				t.Error(wrong)
			}
		})
	}
}
