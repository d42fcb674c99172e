// Small things: copy buttons, relative times that stay current, and the navigation.

export function copying() {
  const show = () => document.querySelectorAll("[data-copy][hidden]").forEach((b) => { b.hidden = false; });
  if (!navigator.clipboard) return;
  show();
  document.addEventListener("tasker:patched", show);
  document.addEventListener("click", async (e) => {
    const b = e.target.closest?.("[data-copy]");
    if (!b) return;
    try {
      await navigator.clipboard.writeText(b.dataset.copy);
      b.textContent = "copied";
    } catch {
      b.textContent = "not copied";
    }
    setTimeout(() => { b.textContent = "copy"; }, 1500);
  });
}

// relative says how far away a moment is, in the server's words.
export function relative(ms) {
  const d = Math.abs(ms) / 1000;
  if (d < 10) return "now";
  const [n, unit] = d < 60 ? [d, "s"] : d < 3600 ? [d / 60, "min"] : d < 172800 ? [d / 3600, "h"] : [d / 86400, "d"];
  return ms > 0 ? `in ${Math.floor(n)} ${unit}` : `${Math.floor(n)} ${unit} ago`;
}

export function times() {
  setInterval(() => {
    if (document.hidden) return;
    for (const t of document.querySelectorAll("main time[datetime]")) {
      const text = relative(Date.parse(t.dateTime) - Date.now());
      if (t.textContent !== text) t.textContent = text;
    }
  }, 15000);
}

// local shows exact moments in the reader's time zone.
function local(root) {
  for (const t of root.querySelectorAll("time[datetime]")) {
    const at = new Date(t.dateTime);
    if (!isNaN(at)) t.title = at.toLocaleString();
  }
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const two = (n) => String(n).padStart(2, "0");
  for (const chart of root.querySelectorAll("svg.chart")) {
    let day = "";
    for (const t of chart.querySelectorAll("text[data-at]")) {
      const at = new Date(t.dataset.at), date = `${at.getDate()} ${months[at.getMonth()]}`;
      const time = `${two(at.getHours())}:${two(at.getMinutes())}` + (t.dataset.form === "second" ? `:${two(at.getSeconds())}` : "");
      t.textContent = t.dataset.form === "day" ? date : date === day ? time : `${date} ${time}`;
      day = date;
    }
  }
  for (const z of root.querySelectorAll("[data-zone]")) z.textContent = "your time";
}

// atOnce applies a choice in a form of filters without its button.
export function atOnce() {
  document.addEventListener("change", (e) => {
    if (e.target.matches?.("form.atonce select")) e.target.form.requestSubmit();
  });
}

// ends scrolls charts that are wider than the window to now, with a little of what is ahead, or to their end if there are names
// there.
export function ends() {
  for (const wide of document.querySelectorAll(".wide")) {
    const now = wide.querySelector(".now");
    wide.scrollLeft = now && !wide.querySelector(".right") ? now.getBoundingClientRect().left - wide.getBoundingClientRect().left - wide.clientWidth * 0.7 : wide.scrollWidth;
  }
}

// navigation keeps the current tab in view, counts the inbox, and offers the other projects.
export function navigation() {
  const slug = document.body.dataset.project;
  const current = () => { // sideways only: the page stays where it is
    const tabs = document.querySelector(".tabs"), tab = tabs?.querySelector("[aria-current]");
    if (tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
  };
  current();
  addEventListener("resize", current);
  local(document);
  document.addEventListener("tasker:patched", () => local(document));
  const menu = document.querySelector(".moretabs");
  document.addEventListener("click", (e) => { if (menu?.open && !menu.contains(e.target)) menu.open = false; });
  document.addEventListener("keydown", (e) => { if (e.key === "Escape" && menu?.open) { menu.open = false; menu.querySelector("summary").focus(); } });
  const badge = document.getElementById("badge"), icon = document.getElementById("icon");
  const plain = icon?.getAttribute("href"), title = document.title;
  const read = async (path) => (await fetch(path)).json();
  // count shows in the tab how much waits for the reader, and by a dot on the icon that something is stuck.
  const count = async () => {
    try {
      let total, more = false, stuck;
      if (slug) {
        const name = encodeURIComponent(slug);
        const [inbox, list] = await Promise.all([
          read(`/v1/projects/${name}/inbox?limit=1`), read(`/v1/tasks?project=${name}&mark=stuck&limit=1`),
        ]);
        [total, more, stuck] = [inbox.total, inbox.totalMore, list.total];
      } else {
        const [estate, all] = await Promise.all([read("/v1/estate?limit=1"), read("/v1/overview")]);
        [total, stuck] = [estate.matching - estate.readyMatching, all.projects.some((p) => p.situation.stuck)];
      }
      if (badge) {
        badge.textContent = more ? `${total}+` : total;
        if (badge.hidden !== !total) {
          badge.hidden = !total;
          current(); // the tabs have moved
        }
      }
      document.title = total ? `(${total}${more ? "+" : ""}) ${title}` : title;
      icon?.setAttribute("href", stuck ? icon.dataset.stuck : plain);
    } catch { /* the page works without it */ }
  };
  count();
  document.addEventListener("tasker:heard", count);
}

// looked links to what changed since this browser last showed the project; the server does not know that. A visit ends when
// no page of the project has been open for half an hour.
export function looked() {
  const slug = document.body.dataset.project;
  if (!slug) return;
  const key = `tasker:looked:${slug}`, rest = 30 * 60 * 1000;
  let was = {};
  try { was = JSON.parse(localStorage.getItem(key)) ?? {}; } catch { /* it is the first look */ }
  if (was.at && Date.now() - was.at > rest) was.before = was.event;
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify({ event: Number(document.body.dataset.event), at: Date.now(), before: was.before }));
    } catch { /* then the next look has no mark */ }
  };
  const show = () => {
    const link = document.getElementById("looked");
    if (!link || !was.before) return;
    const to = new URL(location.href);
    to.searchParams.set("since", was.before);
    link.href = to.pathname + to.search;
    link.hidden = false;
  };
  keep();
  show();
  document.addEventListener("tasker:patched", () => { keep(); show(); });
  addEventListener("pagehide", keep);
}
