package browser_test

import "testing"

// TestPanningTenThousandNodesTouchesNone drags a picture of 10,000 tasks: whatever its size, a frame changes the one group
// that holds it and the frame of the small picture beside it. What that costs in time is a row of `make bench`.
func TestPanningTenThousandNodesTouchesNone(t *testing.T) {
	s := serve(t, func(s *server) { s.feed("ada", plan(t, "atlas", 10_000), "apply", "-f", "-") })
	b := open(t)
	b.visit(s.base + "/p/atlas/graph?show=all")
	if n := js[int](b, `document.querySelectorAll("#net .node").length`); n != 10_000 {
		t.Fatalf("%d nodes are drawn", n)
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
}
