package browser_test

import (
	"fmt"
	"testing"
)

// TestTenThousandTasksAreAMap counts what a project of 10,000 tasks costs a browser: the picture is bounded however it is
// asked for, no page is large, and a frame of panning changes the one group that holds the picture and the frame of the small
// one beside it. What that costs in time is a row of `make bench`.
func TestTenThousandTasksAreAMap(t *testing.T) {
	t.Parallel()
	s := serve(t, func(s *server) { s.feed("ada", plan(t, "atlas", 10_000), "apply", "-f", "-") })
	b := open(t)
	b.visit(s.base + "/help") // what is fetched is then of the same origin
	for name, path := range pages {
		if n := js[int](b, fmt.Sprintf(`fetch(%q).then((r) => r.text()).then((text) => text.length)`, s.base+path)); n > 2<<20 {
			t.Errorf("the page %s has %d bytes", name, n)
		}
	}
	for _, address := range []string{"?show=all&fold=none", "?show=open&fold=none", "?show=all&open=atlas-9", "?show=all"} {
		b.visit(s.base + "/p/atlas/graph" + address)
		if n := js[int](b, `document.querySelectorAll("#canvas *").length`); n > 3000 || n < 20 {
			t.Errorf("%d elements are drawn of %s", n, address)
		}
	}
	if n := js[int](b, `document.querySelectorAll("#net .n-folded").length`); n != 12 {
		t.Errorf("%d areas are folded, want all 12", n)
	}
	changes := js[[]int](b, `(async () => {
		const canvas = document.getElementById("canvas");
		let n = 0;
		const seen = new MutationObserver((records) => { n += records.length; });
		seen.observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
		const at = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, clientX: x, clientY: 300 }));
		at("pointerdown", 300);
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		const changes = [];
		for (let i = 1; i <= 6; i++) {
			n = 0;
			at("pointermove", 300 + i * 7);
			await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => { changes.push(n); done(); })));
		}
		at("pointerup", 440);
		return changes;
	})()`)
	for i, n := range changes {
		if n < 1 || n > 8 {
			t.Errorf("frame %d of panning changed %d things, want a handful", i+1, n)
		}
	}
	// Coming near opens the area below the pointer, and a task that no area shows is gone to by its name.
	js[bool](b, `(() => {
		const canvas = document.getElementById("canvas"), box = document.querySelector("#net .n-folded").getBoundingClientRect();
		const at = { bubbles: true, cancelable: true, deltaY: -300, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
		for (let i = 0; i < 4; i++) canvas.dispatchEvent(new WheelEvent("wheel", at));
		return true;
	})()`)
	b.until(`location.search.includes("open=") && document.querySelector("#canvas.driven")`)
	if n := js[int](b, `document.querySelectorAll("#net .n-folded").length`); n != 11 {
		t.Errorf("%d areas are folded after one was come near to, want 11", n)
	}
	js[bool](b, `(() => {
		const find = document.getElementById("graphfind");
		find.value = "atlas-9999";
		find.dispatchEvent(new Event("input"));
		find.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
		return true;
	})()`)
	b.until(`location.search === "?focus=atlas-9999" && document.querySelector('.node.sel[data-id="atlas-9999"]')`)
}
