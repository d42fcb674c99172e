// Small things: copy buttons, and relative times that stay true.

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

// relative says how far away a moment is, in the words of the server.
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
