package browser_test

import (
	"fmt"
	"testing"
)

// TestTenThousandTasksAreAMap counts what a project of 10,000 tasks costs a browser: the picture is bounded in every
// form, no page is large, what is outside the window is not drawn, and a frame of panning touches nothing out there: it
// changes the one group that holds the picture, the frame of the small one next to it, and what enters or leaves the
// window. `make bench` measures the time.
func TestTenThousandTasksAreAMap(t *testing.T) {
	t.Parallel()
	size := 10_000
	if !long {
		size = 2_500 // the picture is folded and bounded alike
	}
	s := serve(t, func(s *server) { s.feed("ada", plan(t, "atlas", size), "apply", "-f", "-") })
	b := open(t)
	b.visit(s.base + "/help") // so that what is fetched has the same origin
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
	b.pansTheWindowAlone(s.base + "/p/atlas/graph?show=all&fold=none")
	b.visit(s.base + "/p/atlas/graph?show=all")
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
	// Zooming in opens the area below the pointer, and a task that no area shows can be reached by its name.
	js[bool](b, `(() => {
		const canvas = document.getElementById("canvas"), box = document.querySelector("#net .n-folded").getBoundingClientRect();
		const at = { bubbles: true, cancelable: true, deltaY: -300, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
		for (let i = 0; i < 4; i++) canvas.dispatchEvent(new WheelEvent("wheel", at));
		return true;
	})()`)
	b.until(`location.search.includes("open=") && document.querySelector("#canvas.driven")`)
	if n := js[int](b, `document.querySelectorAll("#net .n-folded").length`); n != 11 {
		t.Errorf("%d areas are folded after zooming in on one, want 11", n)
	}
	last := fmt.Sprintf("atlas-%d", size-1)
	js[bool](b, `(() => {
		const find = document.getElementById("graphfind");
		find.value = "`+last+`";
		find.dispatchEvent(new Event("input"));
		find.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
		return true;
	})()`)
	b.until(`location.search === "?focus=` + last + `" && document.querySelector('.node.sel[data-id="` + last + `"]')`)
}

// pansTheWindowAlone drags a large picture, and checks each element that a frame touches: before or afterwards it is in
// the window or within half a window around it. Nothing further out is drawn.
func (b *tab) pansTheWindowAlone(address string) {
	b.t.Helper()
	b.visit(address)
	b.until(`document.querySelector("#world[transform]") && document.querySelector("#net .out")`)
	type frame struct{ Touched, Outside, Drawn, DrawnOutside int }
	frames := js[[]frame](b, `(async () => {
		const canvas = document.getElementById("canvas"), rest = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		const things = [...document.querySelectorAll("#net .node, #net .edge, #net .frame")];
		// near reports whether something is in the window or around it, by its own box, whether or not it is drawn.
		const near = () => {
			const m = /scale\(([\d.]+)\) translate\(([-\d.e]+) ([-\d.e]+)\)/.exec(document.getElementById("world").getAttribute("transform"));
			const s = Number(m[1]), x = -Number(m[2]), y = -Number(m[3]), w = canvas.clientWidth / s, h = canvas.clientHeight / s;
			// All at once: a class that changes between two boxes has the whole picture laid out again.
			const out = things.filter((el) => el.classList.contains("out"));
			for (const el of out) el.classList.remove("out");
			const boxes = things.map((el) => el.getBBox());
			for (const el of out) el.classList.add("out");
			return new Set(things.filter((el, i) => {
				const r = boxes[i], at = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(el.getAttribute("transform") ?? "") ?? [0, 0, 0];
				const left = r.x + Number(at[1]), top = r.y + Number(at[2]), slack = 80;
				return left <= x + 1.5 * w + slack && left + r.width >= x - 0.5 * w - slack && top <= y + 1.5 * h + slack &&
					top + r.height >= y - 0.5 * h - slack;
			}));
		};
		let touched = [];
		const seen = new MutationObserver((records) => touched.push(...records.map((r) => r.target)));
		const at = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, clientX: x, clientY: y }));
		at("pointerdown", 900, 600);
		await rest();
		const out = [];
		for (let i = 1; i <= 5; i++) {
			const before = near();
			seen.observe(document.getElementById("net"), { attributes: true, childList: true, subtree: true });
			touched = [];
			at("pointermove", 900 - i * 150, 600 - i * 60);
			await rest();
			touched.push(...seen.takeRecords().map((r) => r.target));
			seen.disconnect();
			const after = near(), far = touched.filter((el) => things.includes(el) && !before.has(el) && !after.has(el));
			const drawn = things.filter((el) => !el.classList.contains("out"));
			out.push({ Touched: touched.length, Outside: far.length, Drawn: drawn.length, DrawnOutside: drawn.filter((el) => !after.has(el)).length });
		}
		at("pointerup", 150, 300);
		return out;
	})()`)
	moved := 0
	for i, f := range frames {
		if moved += f.Touched; f.Outside > 0 || f.DrawnOutside > 0 || f.Drawn == 0 {
			b.t.Errorf("frame %d of panning touched %d things outside of the window; %d things are drawn, %d of them outside", i+1, f.Outside, f.Drawn, f.DrawnOutside)
		}
	}
	if len(frames) != 5 || moved < 6 {
		b.t.Errorf("panning touched %d things in %d frames: nothing came into the window", moved, len(frames))
	}
}
