package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"tasker/internal/core/planning"
)

// dragging moves a picture by six steps and gives the milliseconds of script that the dearest frame took.
const dragging = `(async () => {
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
})()`

// pan measures in a browser what dragging a picture of 10,000 tasks costs. It is the same on any database.
func pan(ctx context.Context, b *bench) (_ []*result, err error) {
	if b.engine.name() != sqliteName {
		return nil, nil
	}
	r := &result{
		what: "panning 10,000 nodes in Chromium", against: "8 ms of script a frame", unit: "ms", bound: bound{atMost: 1},
		note: "the dearest of six frames",
	}
	s, done, err := b.drawn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	browser, closed, err := b.browser(ctx)
	if err != nil {
		return nil, err
	}
	defer closed()
	if err := chromedp.Do(browser, chromedp.Navigate(s.url+"/p/x/graph?show=all")); err != nil {
		return nil, err
	}
	nodes, err := chromedp.Run(browser, chromedp.Evaluate[int](`document.querySelectorAll("#net .node").length`))
	if err != nil {
		return nil, err
	}
	if want := b.n(10_000); nodes != want {
		return nil, fmt.Errorf("%d nodes are drawn, and there are %d", nodes, want)
	}
	for range b.runs {
		cost, err := chromedp.Run(browser, chromedp.Evaluate[float64](dragging, chromedp.EvalAwaitPromise))
		if err != nil {
			return nil, err
		}
		r.add(max(cost, 0.1), 8) // the browser's clock has steps of 0.1 ms
	}
	return []*result{r}, nil
}

// drawn serves a project of 10,000 tasks from a process of its own.
func (b *bench) drawn(ctx context.Context) (*child, func() error, error) {
	db, err := b.engine.fresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	a, err := b.open(db)
	if err != nil {
		return nil, nil, err
	}
	p := shape{tasks: b.n(10_000), ready: b.n(4000)}
	_, err = a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: p.documents("x")[0]})
	if err := errors.Join(err, a.Close()); err != nil {
		return nil, nil, err
	}
	programs, err := b.build(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := b.background(ctx, db, b.scratch, programs.tasker)
	if err != nil {
		return nil, nil, err
	}
	return s, func() error { return errors.Join(s.stop(), b.engine.drop(db)) }, nil
}

// browser starts Chromium without a window.
func (b *bench) browser(ctx context.Context) (context.Context, func(), error) {
	options := []chromedp.ExecAllocatorOption{
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.UserDataDir(filepath.Join(b.scratch, "browser")), chromedp.WindowSize(1360, 900),
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			options = append(options, chromedp.ExecPath(path))
			break
		}
	}
	allocator, stop := chromedp.NewExecAllocator(ctx, options...)
	out, cancel := chromedp.NewContext(allocator)
	ended := func() { cancel(); stop() }
	if err := chromedp.Do(out); err != nil {
		ended()
		return nil, nil, fmt.Errorf("this needs Chromium, which `make test` installs: %w", err)
	}
	return out, ended, nil
}
