// Live: when something happens in the page's project, the page is loaded again and patched in place. Where it would change
// without an event, because a lease is half over or ends, it is loaded again at that time; and once a minute while somebody
// looks, since it says how long things have lasted.
import { patch } from "./patch.js";

const minute = 60_000;

const main = () => document.getElementById("main");

// place remembers which records have the focus and the mark, and returns a function that restores both: a task that moved
// to another list is a new element there.
function place() {
  const here = main().querySelector(".here")?.dataset.key;
  const active = document.activeElement, row = main().contains(active) ? active.closest("[data-key]") : null;
  const key = row?.dataset.key, links = row ? [...row.querySelectorAll("a[href], button")].indexOf(active) : -1;
  const find = (k) => main().querySelector(`[data-key="${CSS.escape(k)}"]`);
  return () => {
    if (here && !main().querySelector(".here")) find(here)?.classList.add("here");
    if (key && !active.isConnected) find(key)?.querySelectorAll("a[href], button")[links]?.focus({ preventScroll: true });
  };
}

export function follow(patched) {
  const mark = document.getElementById("live");
  const project = location.pathname === "/" ? "" : document.body.dataset.project; // another project changes what is first
  let seen = Number(document.body.dataset.event);
  let timer = 0, turn = 0, last = -Infinity, busy = false, again = false;

  const say = (state) => {
    mark.hidden = state === "joining";
    mark.classList.toggle("lost", state === "lost");
    mark.textContent = state === "lost" ? "Connection lost: this page may be out of date" : "live";
    document.body.dataset.live = state;
  };

  async function read() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        const want = fresh.getElementById("main");
        const is = fresh.body.dataset.page;
        if (want && is && is !== document.body.dataset.page) location.reload(); // the first project came, or a second one
        else if (want && is) {
          const { scrollX, scrollY } = window, back = place();
          patch(main(), want);
          back();
          scrollTo(scrollX, scrollY);
          document.body.dataset.event = fresh.body.dataset.event;
          turns(fresh.body.dataset.turn);
          document.dispatchEvent(new Event("tasker:patched"));
          patched();
        }
      }
    } catch { /* the stream says so */ }
    busy = false;
    if (again) { again = false; soon(); }
  }

  // Show the first of several events at once, and the others together.
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = performance.now();
      document.dispatchEvent(new Event("tasker:heard")); // the title counts even while nobody looks
      if (document.hidden) document.addEventListener("visibilitychange", read, { once: true });
      else read();
    }, Math.max(20, last + 250 - performance.now()));
  }

  // turns waits until the page changes by itself. A page that could not be read is asked for again a minute later.
  function turns(ms) {
    clearTimeout(turn);
    const due = Number(ms ?? Infinity), wait = Math.min(due + 50, minute);
    turn = setTimeout(() => {
      turns(due > minute ? due - minute : undefined);
      if (due <= minute) soon();
      else if (!document.hidden) read();
    }, wait);
  }

  function heard(e) {
    if (e.id <= seen) return;
    seen = e.id;
    if (!project || !e.project || e.project === project) soon();
  }

  if (!new URLSearchParams(location.search).has("at")) turns(document.body.dataset.turn);

  let wasLost = false;
  function got({ state, event, several }) {
    if (state) {
      say(state);
      if (state === "live" && wasLost) soon();
      wasLost = state === "lost";
    }
    for (const e of several ?? (event ? [event] : [])) heard(e);
  }

  if (typeof SharedWorker !== "undefined") {
    const worker = new SharedWorker(new URL("./worker.js", import.meta.url), { name: "tasker" });
    worker.port.onmessage = ({ data }) => got(data);
    worker.port.postMessage({ from: seen });
    addEventListener("pagehide", () => worker.port.postMessage({ bye: true }));
    addEventListener("pageshow", (e) => { if (e.persisted) worker.port.postMessage({ from: seen }); });
    return;
  }
  const source = new EventSource(`/v1/events/stream?since_id=${seen}`);
  source.onopen = () => got({ state: "live" });
  source.onerror = () => got({ state: "lost" });
  source.onmessage = (e) => got({ event: JSON.parse(e.data) });
}
