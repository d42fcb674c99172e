// The keyboard: /, ?, g and a letter, j and k, Ctrl-K. Keys typed into fields are left alone.

const places = {
  o: "", b: "/board", g: "/graph", w: "/work", t: "/timeline", i: "/inbox",
  m: "/machine", e: "/events", s: "/sync", l: "/tasks", x: "/bottlenecks", r: "/proof",
};

export function keys() {
  let after = "";
  const other = document.getElementById("switch");
  if (other) {
    other.hidden = false;
    other.addEventListener("click", () => palette(true));
  }
  document.addEventListener("keydown", (e) => {
    if (e.key.toLowerCase() === "k" && (e.ctrlKey || e.metaKey) && !e.altKey) {
      e.preventDefault();
      palette();
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, select, textarea, dialog")) return;
    const slug = document.body.dataset.project;
    if (after === "g") {
      after = "";
      if (e.key === "p") { e.preventDefault(); location.href = "/"; return; }
      if (slug && e.key in places) { e.preventDefault(); location.href = `/p/${encodeURIComponent(slug)}${places[e.key]}`; return; }
    }
    switch (e.key) {
      case "g": after = "g"; setTimeout(() => { after = ""; }, 1200); break;
      case "/": e.preventDefault(); document.querySelector(".find input")?.focus(); break;
      case "?": e.preventDefault(); help(); break;
      case "j": step(1); break;
      case "k": step(-1); break;
      case "Enter": {
        const here = document.querySelector(".here");
        if (here && (document.activeElement === document.body || document.activeElement?.id === "main")) here.querySelector("a[href]")?.click();
        break;
      }
    }
  });
}

// step moves the mark to the next or previous line of the page's list.
function step(by) {
  const all = [...document.querySelectorAll("main [data-nav]")].filter((n) => n.getClientRects().length);
  if (!all.length) return;
  const at = all.findIndex((n) => n.classList.contains("here"));
  const to = all[Math.min(all.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by))];
  all[at]?.classList.remove("here");
  to.classList.add("here");
  to.querySelector("a[href]")?.focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
}

function dialog(name) {
  const d = document.createElement("dialog");
  d.className = name;
  d.addEventListener("close", () => d.remove());
  d.addEventListener("click", (e) => { if (e.target === d) d.close(); });
  document.body.append(d);
  return d;
}

async function help() {
  if (document.querySelector("dialog")) return;
  const d = dialog("help");
  d.setAttribute("aria-label", "Keys");
  const page = new DOMParser().parseFromString(await (await fetch("/help")).text(), "text/html");
  d.append(document.importNode(page.getElementById("keys"), true));
  const close = document.createElement("button");
  close.textContent = "Close";
  close.onclick = () => d.close();
  d.append(close);
  d.showModal();
  d.tabIndex = -1;
  d.focus(); // not its first link, which may be far below the title
  d.scrollTop = 0;
}

const glyphs = { ready: "▷", waiting: "…", asked: "?", held: "◐", unheld: "◌", in_review: "◇", done: "✓", cancelled: "✕" };
const shortcut = Object.fromEntries(Object.entries(places).map(([key, path]) => [path, `g ${key}`]));

// palette goes anywhere: pages of the project, projects, and tasks of every project by id or words. It is a list box: the
// field keeps the focus, and screen readers announce the marked entry.
async function palette(projectsOnly) {
  if (document.querySelector("dialog")) return;
  const slug = document.body.dataset.project;
  const d = dialog("palette");
  d.setAttribute("aria-label", "Go to");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = projectsOnly ? "Another project" : "Go to a page, a project, or a task";
  for (const [k, v] of [["aria-label", "Go to"], ["role", "combobox"], ["aria-expanded", "true"], ["aria-controls", "found"], ["autocomplete", "off"]]) {
    input.setAttribute(k, v);
  }
  const list = document.createElement("ul");
  list.id = "found";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Places");
  d.append(input, list);
  d.showModal();
  const fixed = [["Projects", "/", "g p"], ["Help", "/help", "?"]];
  for (const a of document.querySelectorAll(".tabs a, .menu a")) {
    const href = a.getAttribute("href");
    fixed.push([a.firstChild.textContent.trim(), href, shortcut[href.replace(/^\/p\/[^/]+/, "")] ?? ""]);
  }
  let found = [], on = 0, asked = 0;
  let answered = "", chosen = false, going = false; // what found answers; an arrow was pressed; Enter waits for an answer
  const states = new Map(); // of tasks, by id
  const fixedFor = (words) => projectsOnly ? [] : fixed.filter(([t]) => t.toLowerCase().includes(words.trim().toLowerCase()));
  const draw = () => {
    const all = [...fixedFor(input.value), ...found];
    on = Math.min(on, Math.max(0, all.length - 1));
    list.replaceChildren(...all.slice(0, 30).map(([text, href, key, task], i) => {
      const li = document.createElement("li"), a = document.createElement("a");
      li.id = `found-${i}`;
      li.setAttribute("role", "option");
      li.setAttribute("aria-selected", String(i === on));
      a.href = href;
      a.tabIndex = -1;
      a.textContent = task ? `${glyphs[states.get(task)] ?? "·"} ${text}` : text;
      if (states.has(task)) {
        const word = document.createElement("small");
        word.textContent = states.get(task).replace("_", " ");
        a.append(" ", word);
      }
      if (key) {
        const k = document.createElement("kbd");
        k.textContent = key;
        a.append(k);
      }
      li.classList.toggle("on", i === on);
      li.append(a);
      return li;
    }));
    input.setAttribute("aria-activedescendant", `found-${on}`);
    list.querySelector(".on")?.scrollIntoView({ block: "nearest" });
  };
  const json = async (address) => { const r = await fetch(address); return r.ok ? r.json() : null; };
  // node requests one task with its state.
  const node = async (id) => (await json(`/v1/tasks/${encodeURIComponent(id)}/graph?upstream=0&downstream=0`))?.nodes[0];
  const ask = async () => {
    const mine = ++asked, q = input.value.trim(), low = q.toLowerCase();
    const next = [];
    try {
      if (q && !projectsOnly) {
        // An id finds its task; words find tasks of this project first, then of all projects.
        const [one, here, everywhere] = await Promise.all([
          /-\d+$/.test(q) ? node(q) : null,
          slug ? json(`/v1/tasks?project=${encodeURIComponent(slug)}&group=state&limit=8&q=${encodeURIComponent(q)}`) : null,
          json(`/v1/search?kind=title&limit=8&q=${encodeURIComponent(q)}`),
        ]);
        const seen = new Set();
        const add = (id, text, state) => {
          if (!id || seen.has(id)) return;
          seen.add(id);
          if (state) states.set(id, state);
          next.push([`${id} ${text}`, `/t/${encodeURIComponent(id)}`, "", id]);
        };
        if (one) add(one.id, one.title, one.state);
        const named = (here?.groups ?? []).flatMap((g) => Array(g.tasks).fill(g.name)); // they come grouped by state
        (here?.tasks ?? []).forEach((t, i) => add(t.id, t.title, named[i]));
        for (const h of everywhere?.hits ?? []) add(h.task, h.text, "");
      }
      for (const p of await json("/v1/projects") ?? []) {
        if (q && !p.slug.toLowerCase().includes(low) && !(p.name ?? "").toLowerCase().includes(low)) continue;
        next.push([`Project ${p.name ?? p.slug}${p.archived ? " (archived)" : ""}`, `/p/${encodeURIComponent(p.slug)}`, ""]);
      }
    } catch { /* what is there stays */ }
    if (q && !projectsOnly) next.push([`Search for “${q}”`, `/search?q=${encodeURIComponent(q)}`, ""]);
    if (mine !== asked) return;
    found = next;
    answered = q;
    draw();
    if (going) return follow();
    // Search results say where the match is, but not the task's state.
    const unknown = next.map(([, , , id]) => id).filter((id) => id && !states.has(id));
    if (!unknown.length) return;
    try {
      for (const n of await Promise.all(unknown.map(node))) if (n) states.set(n.id, n.state);
    } catch { /* they stay as they are */ }
    if (mine === asked) draw();
  };
  let timer = 0;
  const follow = () => list.querySelector(".on a")?.click();
  // enter goes to the marked entry. If that one answers what was typed before, it first waits for the new answer, so that a
  // quick typist never goes where the first letters lead.
  const enter = () => {
    const old = answered !== input.value.trim() && !chosen && !fixedFor(input.value).length;
    if (!old) return follow();
    if (going) return;
    going = true;
    clearTimeout(timer);
    ask();
  };
  input.addEventListener("input", () => { on = 0; chosen = going = false; draw(); clearTimeout(timer); timer = setTimeout(ask, 120); });
  input.addEventListener("keydown", (e) => {
    const n = list.children.length;
    if (e.key === "ArrowDown" && n) { e.preventDefault(); chosen = true; on = (on + 1) % n; draw(); }
    if (e.key === "ArrowUp" && n) { e.preventDefault(); chosen = true; on = (on + n - 1) % n; draw(); }
    if (e.key === "Enter") { e.preventDefault(); enter(); }
    if (e.key === "Escape") { e.preventDefault(); d.close(); } // a search field would only be cleared
  });
  draw();
  ask();
}
