package browser_test

import "testing"

// TestPanningTenThousandNodesIsCheap drags a picture of 10,000 tasks and measures what its script costs a frame.
func TestPanningTenThousandNodesIsCheap(t *testing.T) {
	s := serve(t, func(s *server) { s.feed("ada", plan(t, "atlas", 10_000), "apply", "-f", "-") })
	b := open(t)
	b.visit(s.base + "/p/atlas/graph?show=all")
	if n := js[int](b, `document.querySelectorAll("#net .node").length`); n != 10_000 {
		t.Fatalf("%d nodes are drawn", n)
	}
	cost := js[float64](b, `(async () => {
		const canvas = document.getElementById("canvas"), real = window.requestAnimationFrame;
		let frame = 0;
		window.requestAnimationFrame = (fn) => real((t) => { const from = performance.now(); fn(t); frame += performance.now() - from; });
		const at = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, clientX: x, clientY: 300 }));
		at("pointerdown", 300);
		const costs = [];
		for (let i = 1; i <= 6; i++) {
			frame = 0;
			const from = performance.now();
			at("pointermove", 300 + i * 7);
			const handler = performance.now() - from;
			await new Promise((done) => real(() => real(done)));
			costs.push(handler + frame);
		}
		at("pointerup", 440);
		window.requestAnimationFrame = real;
		return Math.max(...costs);
	})()`)
	if cost > 8 {
		t.Errorf("a frame of panning cost %.1f ms of script, want at most 8", cost)
	}
}
