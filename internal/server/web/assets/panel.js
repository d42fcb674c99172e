// The panel next to the graph: the top of the selected task's page.

const parts = ["#now", ".warnings"];

// panel calls shown with the place of the panel when it opens, and closed when it closes.
export function panel({ shown, closed }) {
  const side = document.getElementById("panel");
  if (!side) return null;
  let asked = 0;
  const close = () => {
    side.hidden = true;
    side.replaceChildren();
    dispatchEvent(new Event("resize"));
    closed();
  };
  side.addEventListener("keydown", (e) => { if (e.key === "Escape") { close(); document.getElementById("canvas").focus(); } });
  return {
    async show(id) {
      const mine = ++asked, address = `/t/${encodeURIComponent(id)}`;
      let page;
      try {
        page = new DOMParser().parseFromString(await (await fetch(address, { headers: { Accept: "text/html" } })).text(), "text/html");
      } catch { return; }
      if (mine !== asked) return;
      const make = (name, text) => { const el = document.createElement(name); if (text) el.textContent = text; return el; };
      const shut = make("button", "×");
      shut.className = "close";
      shut.setAttribute("aria-label", "Close the panel");
      shut.onclick = close;
      const title = make("h2"), link = make("a", page.querySelector("h1")?.textContent ?? id);
      link.href = address;
      title.append(link);
      const take = (el) => document.importNode(el, true);
      const line = page.querySelector(".taskline");
      const head = make("div");
      head.className = "panelhead";
      head.append(title, shut);
      const out = [head];
      if (line) out.push(take(line));
      for (const p of parts) for (const el of page.querySelectorAll(p)) { const c = take(el); c.removeAttribute("id"); out.push(c); }
      for (const s of page.querySelectorAll(".side [data-panel]")) {
        out.push(make("h3", s.querySelector("h2").textContent));
        out.push(...[...s.children].slice(1).map(take));
      }
      const was = side.hidden;
      side.replaceChildren(...out);
      side.hidden = false;
      document.dispatchEvent(new Event("tasker:patched"));
      if (was) dispatchEvent(new Event("resize"));
      shown(side.getBoundingClientRect());
    },
  };
}
