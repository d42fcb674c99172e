// The keyboard: /, ?, g and a letter, j and k, Ctrl-K. Keys typed into fields are left alone.

const places = {
  o: "", b: "/board", g: "/graph", w: "/work", t: "/timeline", i: "/inbox",
  m: "/machine", e: "/events", s: "/sync", l: "/tasks", x: "/bottlenecks", r: "/proof",
};

export function keys() {
  let after = "";
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

// step moves the mark to the next or previous line of whatever list the page has.
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
}

// palette goes anywhere: pages of the project, projects, and tasks by id or words.
async function palette() {
  if (document.querySelector("dialog")) return;
  const slug = document.body.dataset.project;
  const d = dialog("palette");
  d.setAttribute("aria-label", "Go to");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Go to a page, a project, or a task";
  input.setAttribute("aria-label", "Go to");
  const list = document.createElement("ul");
  d.append(input, list);
  d.showModal();
  const fixed = [["Projects", "/"], ["Help", "/help"]];
  for (const a of document.querySelectorAll(".tabs a")) fixed.push([a.textContent, a.getAttribute("href")]);
  let found = [], on = 0, asked = 0;
  const draw = () => {
    const words = input.value.trim().toLowerCase();
    const all = [...fixed.filter(([t]) => t.toLowerCase().includes(words)), ...found];
    on = Math.min(on, Math.max(0, all.length - 1));
    list.replaceChildren(...all.slice(0, 30).map(([text, href], i) => {
      const li = document.createElement("li"), a = document.createElement("a");
      a.href = href;
      a.textContent = text;
      li.classList.toggle("on", i === on);
      li.append(a);
      return li;
    }));
    list.querySelector(".on")?.scrollIntoView({ block: "nearest" });
  };
  const ask = async () => {
    const mine = ++asked, q = input.value.trim();
    const next = [];
    try {
      for (const p of await (await fetch("/v1/projects")).json()) {
        const low = q.toLowerCase();
        if (q && !p.slug.includes(low) && !(p.name ?? "").toLowerCase().includes(low)) continue;
        next.push([`Project ${p.name ?? p.slug}`, `/p/${encodeURIComponent(p.slug)}`]);
      }
      if (q && slug) {
        const { tasks } = await (await fetch(`/v1/tasks?project=${encodeURIComponent(slug)}&limit=12&q=${encodeURIComponent(q)}`)).json();
        for (const t of tasks) next.push([`${t.id} ${t.title}`, `/t/${encodeURIComponent(t.id)}`]);
      }
    } catch { /* what is there stays */ }
    if (q) next.push([`Search for “${q}”`, `/search?q=${encodeURIComponent(q)}${slug ? `&project=${encodeURIComponent(slug)}` : ""}`]);
    if (mine === asked) { found = next; draw(); }
  };
  let timer = 0;
  input.addEventListener("input", () => { on = 0; draw(); clearTimeout(timer); timer = setTimeout(ask, 120); });
  input.addEventListener("keydown", (e) => {
    const n = list.children.length;
    if (e.key === "ArrowDown") { e.preventDefault(); on = (on + 1) % n; draw(); }
    if (e.key === "ArrowUp") { e.preventDefault(); on = (on + n - 1) % n; draw(); }
    if (e.key === "Enter") { e.preventDefault(); list.querySelector(".on a")?.click(); }
  });
  draw();
  ask();
}
