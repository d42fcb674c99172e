// The graph: pan, zoom, pinch, the overview picture, search in place, chains on hover, a panel for the selected task, a
// path between two, and a keyboard that follows edges. The server sends a bounded picture; moving it changes the transform
// of one group (a viewBox would touch every node) and draws or hides nodes at the edges. Nodes outside the window and half
// a window around it are not drawn.
import { names } from "./names.js";
import { panel } from "./panel.js";
import { png } from "./png.js";

export function graph() {
  const canvas = document.getElementById("canvas"), net = document.getElementById("net");
  if (!canvas || !net) return null;
  const world = document.getElementById("world"), eye = document.getElementById("eye"), mini = document.getElementById("minimap");
  let whole, nodes, before, after, edges, things, view, selected = null, queued = false, settling = false;
  const readable = 0.95, fitted = 0.75; // the scale to read at, and the smallest one to open a whole picture at
  const small = 0.6, tiny = 0.35; // below these, names keep their size, and areas are blocks
  const labels = names(canvas);
  // Reading an element's size forces a layout, which is slow with many nodes: read it once.
  const size = { w: 1, h: 1 };
  const measure = () => {
    canvas.style.height = "";
    const tall = Math.max(256, whole.h + 20); // as in the style sheet, which applies before
    if (tall < canvas.clientHeight) canvas.style.height = `${tall}px`; // no empty space below a flat picture
    size.w = Math.max(1, canvas.clientWidth);
    size.h = Math.max(1, canvas.clientHeight);
  };

  function index() {
    nodes = new Map();
    before = new Map();
    after = new Map();
    edges = [...net.querySelectorAll(".edge")];
    for (const n of net.querySelectorAll(".node")) {
      const m = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(n.getAttribute("transform"));
      nodes.set(n.dataset.id, { el: n, x: Number(m[1]), y: Number(m[2]) });
      n.setAttribute("tabindex", "-1");
    }
    things = [];
    for (const e of edges) {
      things.push(thing(e, spanOf(e.getAttribute("d"))));
      push(after, e.dataset.a, e.dataset.b, e);
      push(before, e.dataset.b, e.dataset.a, e);
    }
    for (const n of nodes.values()) things.push(thing(n.el, { x: n.x - 20, y: n.y, w: 268, h: 60 }));
    for (const frame of net.querySelectorAll(".frame")) things.push(thing(frame, boxOf(frame)));
    whole = { w: Number(net.getAttribute("width")), h: Number(net.getAttribute("height")) };
    labels.take([
      ...[...net.querySelectorAll(".frame.named")].map((el) => ({ el, ...boxOf(el) })),
      ...[...nodes.values()].filter((n) => n.el.dataset.name).map((n) => ({ el: n.el, x: n.x, y: n.y, w: 208, h: 60 })),
    ]);
  }
  const boxOf = (frame) => {
    const box = frame.querySelector(".group"), of = (name) => Number(box.getAttribute(name));
    return { x: of("x"), y: of("y"), w: of("width"), h: of("height") };
  };
  const thing = (el, box) => ({ el, x: box.x, y: box.y, right: box.x + box.w, bottom: box.y + box.h, out: el.classList.contains("out") });
  // spanOf returns the box of an edge. After H comes one number, after M and C pairs.
  function spanOf(d) {
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    for (const [, how, numbers] of d.matchAll(/([MHC])([^MHC]*)/g)) {
      numbers.trim().split(/\s+/).forEach((text, i) => {
        const n = Number(text);
        if (how === "H" || i % 2 === 0) { left = Math.min(left, n); right = Math.max(right, n); }
        else { top = Math.min(top, n); bottom = Math.max(bottom, n); }
      });
    }
    return { x: left - 9, y: top - 5, w: right - left + 18, h: bottom - top + 10 };
  }
  // cull draws only what is in the window or half a window around it. It touches only what changes.
  function cull() {
    const mx = view.w / 2, my = view.h / 2;
    for (const t of things) {
      const out = t.right < view.x - mx || t.x > view.x + view.w + mx || t.bottom < view.y - my || t.y > view.y + view.h + my;
      if (out !== t.out) t.el.classList.toggle("out", t.out = out);
    }
  }
  const push = (map, k, id, el) => { if (!map.has(k)) map.set(k, []); map.get(k).push({ id, el }); };

  // Print the whole picture, wherever the reader looks.
  const paper = matchMedia("print");
  function spread() {
    world.removeAttribute("transform");
    net.classList.remove("small", "tiny");
    net.setAttribute("viewBox", `0 0 ${whole.w} ${whole.h}`);
  }
  paper.addEventListener("change", () => {
    if (paper.matches) return spread();
    net.removeAttribute("viewBox");
    apply();
  });

  function apply() {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      if (paper.matches) return spread();
      cull();
      const s = size.w / view.w;
      net.classList.toggle("small", s < small);
      net.classList.toggle("tiny", s < tiny);
      labels.move(s < small, s, view.x, view.y);
      world.setAttribute("transform", `scale(${s}) translate(${-view.x} ${-view.y})`);
      // A small picture needs no overview picture, which would only cover it.
      mini?.classList.toggle("all", whole.w * whole.h < 2 * view.w * view.h);
      if (settling) aside();
      settling = false;
      mini?.classList.add("placed");
      if (eye) for (const [k, v] of [["x", view.x], ["y", view.y], ["width", view.w], ["height", view.h]]) eye.setAttribute(k, v);
    });
  }

  const ratio = () => size.h / size.w;
  function scale(s, cx, cy) {
    const w = size.w / s;
    view = { x: cx - w / 2, y: cy - (w * ratio()) / 2, w, h: w * ratio() };
    keepIn();
    apply();
  }
  function keepIn() {
    view.x = Math.min(Math.max(view.x, -view.w * 0.5), whole.w - view.w * 0.5);
    view.y = Math.min(Math.max(view.y, -view.h * 0.5), whole.h - view.h * 0.5);
  }
  function zoom(by, px = size.w / 2, py = size.h / 2) {
    const s = size.w / view.w, next = Math.min(3, Math.max(0.02, s * by)), k = s / next;
    const x = view.x + px / s, y = view.y + py / s;
    view = { x: x - (x - view.x) * k, y: y - (y - view.y) * k, w: view.w * k, h: view.h * k };
    keepIn();
    apply();
    keep();
    near(by, next, x, y);
  }
  // near opens the area that the reader zooms into, and folds it again when the reader leaves.
  let leaving = false;
  function near(by, s, x, y) {
    if (leaving) return;
    const within = (box) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
    if (by > 1 && s >= 1.8) {
      for (const [id, n] of nodes) {
        if (!n.el.classList.contains("n-folded") || !within({ x: n.x, y: n.y, w: 208, h: 60 })) continue;
        return leave(id, n.el, n.el.getAttribute("href"));
      }
    }
    const opened = (new URLSearchParams(location.search).get("open") ?? "").split(",");
    if (by < 1 && s <= 0.35) {
      for (const frame of net.querySelectorAll(".frame")) {
        const id = frame.dataset.key.slice(1);
        if (!opened.includes(id) || !within(boxOf(frame))) continue;
        return leave(id, frame, frame.querySelector("[data-fold]").getAttribute("href"));
      }
    }
  }
  function leave(id, el, href) {
    leaving = true;
    requestAnimationFrame(() => requestAnimationFrame(() => { keepFold(id, el); location.href = href; }));
  }
  function fit() {
    const s = Math.min(size.w / (whole.w + 20), size.h / (whole.h + 20), 1.2);
    scale(s, whole.w / 2, whole.h / 2);
    keep();
  }
  function start() {
    if (takeFold()) return;
    const kept = /^#v=([-\d.]+),([-\d.]+),([\d.]+)(&|$)/.exec(location.hash);
    if (kept) {
      moved = true;
      return scale(Number(kept[3]), Number(kept[1]), Number(kept[2]));
    }
    begin();
  }
  // inside returns the middle of a window that has c in it and nothing but the picture, as far as the picture goes.
  const inside = (c, window, all) => all + 40 <= window ? all / 2 : Math.min(Math.max(c, window / 2 - 20), all - window / 2 + 20);
  // begin shows the whole picture if it can be read, else its focus, or where there is work to do.
  function begin() {
    const s = Math.min(size.w / (whole.w + 20), size.h / (whole.h + 20), 1.2);
    if (s >= fitted) return scale(s, whole.w / 2, whole.h / 2);
    settling = true;
    const first = net.querySelector(".node.sel");
    if (first) {
      const at = nodes.get(first.dataset.id);
      return scale(readable, inside(at.x + 104, size.w / readable, whole.w), inside(at.y + 30, size.h / readable, whole.h));
    }
    const at = corner();
    let best = readable, most = -1;
    for (const s of [readable, 0.85, fitted]) { // a little smaller, if more of what is ready comes into the window
      const w = size.w / s, h = size.h / s;
      const held = at.ready.filter((n) => n.x >= at.x && n.x + 208 <= at.x + w && n.y >= at.y && n.y + 60 <= at.y + h).length;
      if (held > most) { most = held; best = s; }
    }
    scale(best, at.x + size.w / best / 2, at.y + size.h / best / 2);
  }
  // aside puts the overview picture where it covers the fewest tasks, first of all those that can be worked on: along the
  // lower edge, from the right, or the upper one, or else between them.
  function aside() {
    if (!mini) return;
    const w = mini.clientWidth + 2, h = mini.clientHeight + 2, s = size.w / view.w, gap = 9;
    const covered = (left, top) => {
      let n = 0;
      for (const o of nodes.values()) {
        const x = (o.x - view.x) * s, y = (o.y - view.y) * s;
        if (x < left + w + 2 && x + 208 * s > left - 2 && y < top + h + 2 && y + 60 * s > top - 2) n += o.el.classList.contains("now") ? 100 : 1;
      }
      return n;
    };
    let best = null;
    const low = size.h - h - gap;
    for (const top of [low, gap, ...Array.from({ length: 8 }, (_, i) => gap + (low - gap) * (8 - i) / 9)]) {
      for (let i = 0; best?.n !== 0 && i <= 12; i++) {
        const left = gap + (size.w - w - 2 * gap) * (1 - i / 12), n = covered(left, top);
        if (!best || n < best.n) best = { left, top, n };
      }
    }
    Object.assign(mini.style, { left: `${best.left}px`, top: `${best.top}px`, right: "auto", bottom: "auto" });
  }
  // corner returns where a picture that is too large to be fitted begins: the first area with work that is ready or held.
  function corner() {
    const now = [...nodes.values()].filter((n) => n.el.classList.contains("now")), all = now.length ? now : [...nodes.values()];
    const ready = all.filter((n) => n.el.matches(".n-ready, .n-folded"));
    const areas = [...net.querySelectorAll(".frame")].map(boxOf);
    // The area of a task is the outermost one around it, or the task itself.
    const around = (n) => areas.filter((a) => n.x >= a.x && n.x < a.x + a.w && n.y >= a.y && n.y < a.y + a.h)
      .reduce((out, a) => a.w * a.h > out.w * out.h ? a : out, { x: n.x, y: n.y, w: 208, h: 60 });
    let first = null;
    for (const n of all) {
      const a = around(n);
      if (!first || a.y < first.y || a.y === first.y && a.x < first.x) first = a;
    }
    const left = Math.min(...all.filter((n) => around(n).x === first.x && around(n).y === first.y).map((n) => n.x));
    return { x: Math.max(first.x, left - 32) - 16, y: first.y - 16, ready: ready.length ? ready : all };
  }
  // Folding changes the picture: keep what was clicked in place.
  const foldKey = "tasker:fold";
  function keepFold(id, el) {
    const box = canvas.getBoundingClientRect(), at = el.getBoundingClientRect();
    try {
      sessionStorage.setItem(foldKey, JSON.stringify({ id, x: at.left - box.left, y: at.top - box.top, s: size.w / view.w, path: location.pathname }));
    } catch { /* it starts at its front */ }
  }
  function takeFold() {
    let was = null;
    try {
      was = JSON.parse(sessionStorage.getItem(foldKey));
      sessionStorage.removeItem(foldKey);
    } catch { /* there is none */ }
    if (!was || was.path !== location.pathname) return false;
    const frame = net.querySelector(`.frame[data-key="g${CSS.escape(was.id)}"] .group`), node = nodes.get(was.id);
    const at = frame ? { x: Number(frame.getAttribute("x")), y: Number(frame.getAttribute("y")) } : node;
    if (!at) return false;
    view = { x: at.x - was.x / was.s, y: at.y - was.y / was.s, w: size.w / was.s, h: size.h / was.s };
    moved = true;
    apply();
    return true;
  }
  // The address includes the window and the selected task.
  let saving = 0, moved = false;
  function keep() {
    moved = true;
    clearTimeout(saving);
    saving = setTimeout(() => {
      const s = size.w / view.w, task = selected ? `&task=${encodeURIComponent(selected)}` : "";
      history.replaceState(null, "", `#v=${Math.round(view.x + view.w / 2)},${Math.round(view.y + view.h / 2)},${s.toFixed(3)}${task}`);
    }, 300);
  }

  function select(id, quiet) {
    const n = nodes.get(id);
    if (!n) return;
    if (selected) nodes.get(selected)?.el.classList.remove("sel");
    selected = id;
    n.el.classList.add("sel");
    ties();
    keep();
    const cx = n.x + 104, cy = n.y + 30, mx = view.w * 0.15, my = view.h * 0.2;
    if (size.w / view.w < tiny) scale(fitted, cx, cy); // out of its block
    if (cx < view.x + mx || cx > view.x + view.w - mx || cy < view.y + my || cy > view.y + view.h - my) {
      view.x = cx - view.w / 2;
      view.y = cy - view.h / 2;
      cull(); // what is not drawn cannot have the focus
      apply();
    }
    if (!quiet) n.el.focus({ preventScroll: true });
  }

  // ties shows the edges of the selected task that are otherwise drawn only on hover.
  function ties() {
    for (const el of net.querySelectorAll(".edge.tied")) el.classList.remove("tied");
    for (const map of [before, after]) for (const { el } of map.get(selected) ?? []) if (el.classList.contains("veiled")) el.classList.add("tied");
  }

  let traced = null;
  // lit marks everything that a task waits for, and everything that waits for it.
  function lit(id) {
    traced = id;
    for (const el of net.querySelectorAll(".lit")) el.classList.remove("lit");
    net.classList.toggle("tracing", Boolean(id));
    if (!id) return;
    nodes.get(id)?.el.classList.add("lit");
    for (const map of [before, after]) {
      const seen = new Set([id]), todo = [id];
      while (todo.length) {
        for (const { id: next, el } of map.get(todo.pop()) ?? []) {
          el.classList.add("lit");
          if (seen.has(next)) continue;
          seen.add(next);
          nodes.get(next)?.el.classList.add("lit");
          todo.push(next);
        }
      }
    }
  }

  let turn = { from: null, map: null, at: 0 }, marked = null;
  function along(map) {
    if (!selected) return select(net.querySelector(".node")?.dataset.id);
    const near = (map.get(selected) ?? []).map((n) => n.id).filter((id) => nodes.has(id));
    if (!near.length) return;
    const away = (id) => Math.abs(nodes.get(id).y - nodes.get(selected).y);
    near.sort((a, b) => away(a) - away(b));
    select(near[0]);
  }
  // through cycles through all neighbours of the task where it began.
  function through(map) {
    if (!selected) return select(net.querySelector(".node")?.dataset.id);
    const again = turn.map === map && turn.list?.includes(selected);
    if (!again) turn = { map, list: (map.get(selected) ?? []).map((n) => n.id), at: -1 };
    if (!turn.list.length) return;
    turn.at = (turn.at + 1) % turn.list.length;
    select(turn.list[turn.at]);
  }
  function beside(by) {
    if (!selected) return select(net.querySelector(".node")?.dataset.id);
    const here = nodes.get(selected);
    let best = null, gap = Infinity;
    for (const [id, n] of nodes) {
      const d = (n.y - here.y) * by;
      if (Math.abs(n.x - here.x) < 1 && d > 0 && d < gap) { best = id; gap = d; }
    }
    if (best) select(best);
  }

  canvas.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input")) return;
    const act = {
      ArrowRight: () => along(after), ArrowLeft: () => along(before), ArrowUp: () => beside(-1), ArrowDown: () => beside(1),
      "[": () => through(before), "]": () => through(after), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: fit,
      f: () => { if (selected) location.href = `${location.pathname}?${new URLSearchParams({ focus: selected, ...moment() })}`; },
      m: () => { marked = selected; if (found) found.textContent = marked ? `path from ${marked}: select its end, then p` : ""; },
      p: () => { if (marked && selected && marked !== selected) path(marked, selected); },
      " ": () => { if (selected && !nodes.get(selected).el.classList.contains("n-folded")) side?.show(selected); },
      Enter: () => { if (selected) location.href = nodes.get(selected).el.getAttribute("href"); },
      Escape: () => { lit(null); canvas.focus(); },
    }[e.key];
    if (!act) return;
    e.preventDefault();
    e.stopPropagation();
    act();
  });

  // One finger or the mouse pans; two fingers zoom about the point between them.
  let drag = null, pinch = null;
  const fingers = new Map();
  const spread2 = () => {
    const [a, b] = [...fingers.values()], box = canvas.getBoundingClientRect();
    return { d: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)), x: (a.x + b.x) / 2 - box.left, y: (a.y + b.y) / 2 - box.top };
  };
  canvas.addEventListener("pointerdown", (e) => {
    if (e.button !== 0 || e.target.closest("#minimap")) return;
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (fingers.size === 2) {
      pinch = spread2();
      drag = null;
      return;
    }
    drag = { x: e.clientX, y: e.clientY, vx: view.x, vy: view.y, moved: false };
  });
  addEventListener("pointermove", (e) => {
    if (fingers.has(e.pointerId)) fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (pinch && fingers.size === 2) {
      const now = spread2();
      zoom(now.d / pinch.d, now.x, now.y);
      view.x -= (now.x - pinch.x) * view.w / size.w;
      view.y -= (now.y - pinch.y) * view.h / size.h;
      pinch = now;
      return;
    }
    if (!drag) return;
    const s = size.w / view.w, dx = e.clientX - drag.x, dy = e.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag.moved = true;
    view.x = drag.vx - dx / s;
    view.y = drag.vy - dy / s;
    keepIn();
    apply();
  });
  const lift = (e) => {
    fingers.delete(e.pointerId);
    if (drag?.moved || pinch) {
      keep();
      const stop = (c) => { c.preventDefault(); c.stopPropagation(); };
      addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", stop, { capture: true }), 50); // in case no click comes
    }
    drag = null;
    if (fingers.size < 2) pinch = null;
  };
  addEventListener("pointerup", lift);
  addEventListener("pointercancel", lift);
  // A click selects and opens the panel, a second one or Enter opens the page; with Shift it shows the path from the
  // previous selection.
  const side = panel({
    shown: (box) => { // the selected task stays in sight above a panel that covers the picture
      const n = nodes.get(selected), at = canvas.getBoundingClientRect(), s = size.w / view.w;
      if (!n || box.left >= at.right || box.top >= at.bottom) return;
      const y = at.top + (n.y + 60 - view.y) * s;
      if (y + 8 < box.top) return;
      view.y += (y + 24 - Math.max(box.top, at.top + 100)) / s;
      apply();
      keep();
    },
    closed: () => {
      if (selected) nodes.get(selected)?.el.classList.remove("sel");
      selected = null;
      ties();
      keep();
    },
  });
  net.addEventListener("click", (e) => {
    const fold = e.target.closest("a[data-fold]"), n = e.target.closest(".node");
    if (e.ctrlKey || e.metaKey || e.button !== 0) return;
    if (fold) return keepFold(fold.closest(".frame").dataset.key.slice(1), fold.closest(".frame"));
    if (!n) return enter(e.target.closest(".frame.named"));
    if (n.classList.contains("n-folded")) return keepFold(n.dataset.id, n);
    e.preventDefault();
    if (e.shiftKey && selected && selected !== n.dataset.id) return path(selected, n.dataset.id);
    clearPath();
    select(n.dataset.id, true);
    side?.show(n.dataset.id);
  });
  // enter goes to an area that is drawn as a block.
  function enter(frame) {
    if (!frame || !net.classList.contains("tiny")) return;
    const box = boxOf(frame), s = Math.max(fitted, Math.min(readable, size.w / (box.w + 40), size.h / (box.h + 40)));
    scale(s, Math.min(box.x + box.w / 2, box.x - 16 + size.w / s / 2), Math.min(box.y + box.h / 2, box.y - 16 + size.h / s / 2));
    keep();
  }
  net.addEventListener("dblclick", (e) => {
    const n = e.target.closest(".node");
    if (n) location.href = n.getAttribute("href");
  });
  function clearPath() { for (const el of net.querySelectorAll(".onpath")) el.classList.remove("onpath"); }
  // path marks a shortest path between two tasks, in whichever direction there is one.
  function path(from, to) {
    clearPath();
    for (const map of [after, before]) {
      const came = new Map([[from, null]]), todo = [from];
      while (todo.length && !came.has(to)) {
        const at = todo.shift();
        for (const { id, el } of map.get(at) ?? []) {
          if (!came.has(id)) { came.set(id, { at, el }); todo.push(id); }
        }
      }
      if (!came.has(to)) continue;
      for (let at = to; at; at = came.get(at)?.at) {
        nodes.get(at)?.el.classList.add("onpath");
        came.get(at)?.el.classList.add("onpath");
      }
      if (found) found.textContent = "a path";
      return;
    }
    // The path may lead through tasks that are not drawn: ask the server.
    location.href = `${location.pathname}?${new URLSearchParams({ from, to, ...moment() })}`;
  }
  // moment returns the past moment that the page shows, for other addresses.
  const moment = () => { const at = new URLSearchParams(location.search).get("at"); return at ? { at } : {}; };
  net.addEventListener("dragstart", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });

  let hovering = 0;
  net.addEventListener("pointerover", (e) => {
    const n = e.target.closest(".node");
    clearTimeout(hovering);
    hovering = setTimeout(() => lit(n && !drag ? n.dataset.id : null), 60);
  });
  canvas.addEventListener("pointerleave", () => { clearTimeout(hovering); lit(null); });
  net.addEventListener("focusin", (e) => { const n = e.target.closest(".node"); if (n && n.dataset.id !== selected) select(n.dataset.id, true); });

  mini?.addEventListener("pointerdown", (e) => {
    const go = (ev) => {
      const p = new DOMPoint(ev.clientX, ev.clientY).matrixTransform(mini.getScreenCTM().inverse());
      view.x = p.x - view.w / 2;
      view.y = p.y - view.h / 2;
      keepIn();
      apply();
    };
    go(e);
    const stop = () => { removeEventListener("pointermove", go); removeEventListener("pointerup", stop); keep(); };
    addEventListener("pointermove", go);
    addEventListener("pointerup", stop);
  });

  const find = document.getElementById("graphfind"), found = document.getElementById("graphfound");
  let hits = [], hit = -1;
  function goHit(by) {
    if (!hits.length) return;
    hit = (hit + by + hits.length) % hits.length;
    const n = nodes.get(hits[hit]);
    found.textContent = `${hit + 1} of ${hits.length}`;
    for (const el of net.querySelectorAll(".node.hit")) el.classList.remove("hit");
    n.el.classList.add("hit");
    select(hits[hit], true);
    if (size.w / view.w < readable) scale(readable, n.x + 104, n.y + 30);
    else { view.x = n.x + 104 - view.w / 2; view.y = n.y + 30 - view.h / 2; apply(); }
  }
  find?.addEventListener("input", () => {
    const words = find.value.trim().toLowerCase();
    hits = [];
    hit = -1;
    for (const [id, n] of nodes) {
      const is = Boolean(words) && n.el.querySelector("title").textContent.toLowerCase().includes(words);
      n.el.classList.toggle("found", is);
      n.el.classList.remove("hit");
      if (is) hits.push(id);
    }
    net.classList.toggle("finding", hits.length > 0);
    found.textContent = words && !hits.length ? "not shown here: Enter goes there" : "";
    goHit(1);
  });
  // elsewhere goes to a task that the picture does not show: it may be in a folded area.
  async function elsewhere(words) {
    if (!words) return;
    const ask = new URLSearchParams({ project: document.body.dataset.project, q: words, limit: 1 });
    try {
      const { tasks } = await (await fetch(`/v1/tasks?${ask}`)).json();
      if (tasks.length) location.href = `${location.pathname}?focus=${encodeURIComponent(tasks[0].id)}`;
      else found.textContent = "no such task";
    } catch { found.textContent = "not found: the connection is lost"; }
  }
  find?.addEventListener("keydown", (e) => {
    if (e.key === "Enter") {
      e.preventDefault();
      if (hits.length) goHit(e.shiftKey ? -1 : 1);
      else elsewhere(find.value.trim());
    }
    if (e.key === "Escape") { e.preventDefault(); find.value = ""; find.dispatchEvent(new Event("input")); canvas.focus(); }
  });
  document.getElementById("zoomin")?.addEventListener("click", () => zoom(1.25));
  document.getElementById("zoomout")?.addEventListener("click", () => zoom(0.8));
  document.getElementById("zoomfit")?.addEventListener("click", fit);
  // Export what is shown: the window.
  for (const link of document.querySelectorAll("#export a")) {
    link.addEventListener("click", (e) => {
      const to = new URL(link.href), cut = (n, most) => Math.min(Math.max(Math.round(n), 0), Math.ceil(most));
      const x = cut(view.x, whole.w), y = cut(view.y, whole.h);
      to.searchParams.set("window", [x, y, cut(view.x + view.w, whole.w) - x, cut(view.y + view.h, whole.h) - y].join(","));
      link.href = to.href;
      if (link.id !== "exportpng") return;
      e.preventDefault();
      png(link.href);
    });
  }
  for (const el of document.querySelectorAll(".graphbar .js")) el.hidden = false;
  // A picture that was not moved is placed again in a window of another size; else its corner stays.
  addEventListener("resize", () => {
    const s = size.w / view.w;
    measure();
    settling = true; // the overview picture may be elsewhere
    if (!moved && !selected) return begin();
    view.w = size.w / s;
    view.h = size.h / s;
    keepIn();
    apply();
  });

  index();
  canvas.classList.add("driven");
  net.removeAttribute("viewBox");
  measure();
  selected = net.querySelector(".node.sel")?.dataset.id ?? null;
  start();
  const named = new URLSearchParams(location.hash.slice(1)).get("task");
  if (named && nodes.has(named) && !nodes.get(named).el.classList.contains("n-folded")) {
    select(named, true);
    side?.show(named);
  }
  return {
    // again is called after the picture was patched.
    again() {
      index();
      for (const el of net.querySelectorAll(".node.sel")) el.classList.toggle("sel", el.dataset.id === selected);
      if (selected) nodes.get(selected)?.el.classList.add("sel");
      if (traced) lit(traced); // edges have no names of their own
      ties();
      apply();
    },
  };
}
