package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"tasker/internal/planning"
)

// dragging moves a picture by six steps and returns the milliseconds of script time of the most expensive frame.
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

// usable is how many milliseconds after navigation a page becomes usable: its scripts have run and its picture, if it has
// one, responds to input.
const usable = `new Promise((done) => { const look = () => document.readyState === "complete" && (!document.getElementById("canvas") ||
	document.querySelector("#canvas.driven #world[transform]")) ? done(performance.now()) : setTimeout(look, 1); look(); })`

// hovering highlights the chains of a task, and returns how many milliseconds that takes, including the hover delay.
const hovering = `(async () => {
	const node = document.querySelector("#net .node"), net = document.getElementById("net"), from = performance.now();
	node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
	while (!net.classList.contains("tracing")) await new Promise((done) => setTimeout(done, 1));
	net.getBoundingClientRect();
	const took = performance.now() - from;
	document.getElementById("canvas").dispatchEvent(new PointerEvent("pointerleave"));
	return Math.max(took, 0.1);
})()`

// finding types a word into the field of the graph, and returns how many milliseconds it takes until the first hit is shown.
const finding = `(() => {
	const find = document.getElementById("graphfind"), from = performance.now();
	find.value = "x-";
	find.dispatchEvent(new Event("input"));
	document.getElementById("net").getBoundingClientRect();
	const took = performance.now() - from;
	find.value = "";
	find.dispatchEvent(new Event("input"));
	return Math.max(took, 0.1);
})()`

// living writes a note and returns how many milliseconds after the answer the page shows it.
const living = `(async () => {
	while (document.body.dataset.live !== "live") await new Promise((done) => setTimeout(done, 5));
	const patched = new Promise((done) => document.addEventListener("tasker:patched", () => done(performance.now()), { once: true }));
	const answer = await fetch("/v1/tasks/x-1/notes", {
		method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text: "So far" }),
	});
	if (!answer.ok) throw new Error(await answer.text());
	const from = performance.now();
	return Math.max(await patched - from, 0.1);
})()`

// pan measures in a browser what a picture of 10,000 tasks costs its reader. It is the same on any database.
func pan(ctx context.Context, b *bench) (_ []*result, err error) {
	if b.engine.name() != sqliteName {
		return nil, nil
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
	measure := func(page, expression string) (float64, error) {
		if page != "" {
			if err := chromedp.Do(browser, chromedp.Navigate(s.url+page)); err != nil {
				return 0, err
			}
		}
		return chromedp.Run(browser, chromedp.Evaluate[float64](expression, chromedp.EvalAwaitPromise))
	}
	const picture = "/p/x/graph?show=all&fold=none"
	open := &result{what: "a graph of 10,000 tasks until it can be used", against: "an empty page", unit: "ms", bound: bound{atMost: 3}}
	deep := &result{what: "the same of 10,000 tasks, each a part of the one before", against: "an empty page", unit: "ms", bound: bound{atMost: 3}}
	drag := &result{what: "panning 10,000 tasks in Chromium", against: "16 ms a frame", unit: "ms", bound: bound{atMost: 1}, note: "the most expensive of six frames"}
	hover := &result{what: "highlighting the chains of a task", against: "100 ms", unit: "ms", bound: bound{atMost: 1}}
	find := &result{what: "finding a task in the graph", against: "100 ms", unit: "ms", bound: bound{atMost: 1}}
	live := &result{what: "showing what happened on a graph of 10,000 tasks", against: "300 ms", unit: "ms", bound: bound{atMost: 1}}
	for range b.runs {
		empty, err := measure("/help", usable)
		if err != nil {
			return nil, err
		}
		nested, err := measure("/p/deep/graph", usable)
		if err != nil {
			return nil, err
		}
		deep.add(nested, max(empty, 0.1))
		full, err := measure(picture, usable) // what follows happens there
		if err != nil {
			return nil, err
		}
		open.add(full, max(empty, 0.1))
		for _, m := range []struct {
			r          *result
			expression string
			limit      float64
		}{{drag, dragging, 16}, {hover, hovering, 100}, {find, finding, 100}, {live, living, 300}} {
			cost, err := measure("", m.expression)
			if err != nil {
				return nil, err
			}
			m.r.add(max(cost, 0.1), m.limit) // the browser's clock has steps of 0.1 ms
		}
	}
	return []*result{open, deep, drag, hover, find, live}, nil
}

// drawn serves a project of 10,000 tasks, and one of as many nested tasks, from a process of its own.
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
	if err == nil {
		_, err = a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: deepTree(b.n(10_000))})
	}
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
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"} {
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
