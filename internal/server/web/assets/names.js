// The names of areas on a graph that is too small to read: each at a constant size, with a bar of how much is done, above
// the picture. A frame of panning moves the layer that holds them; zooming places each again.

export function names(canvas) {
  const layer = document.createElement("div");
  layer.className = "names local";
  layer.setAttribute("aria-hidden", "true"); // the picture and the table say the same
  layer.hidden = true;
  canvas.append(layer);
  let areas = [], at = 0;
  const make = (name, parent) => parent.appendChild(document.createElement(name));

  // place puts the names at a scale. Where two would overlap, the upper one stays.
  function place(s) {
    at = s;
    const taken = [];
    for (const a of areas) {
      const x = a.x * s, y = a.y * s, w = Math.max(a.w * s - 6, 64), h = 22;
      const covered = taken.some((t) => x < t.x + t.w && t.x < x + w && y < t.y + h && t.y < y + h);
      a.label.hidden = covered;
      if (covered) continue;
      taken.push({ x, y, w });
      a.label.style.left = `${x + 3}px`;
      a.label.style.top = `${y + 3}px`;
      a.label.style.maxWidth = `${w}px`;
      a.label.classList.toggle("narrow", w < 110);
    }
  }

  return {
    // take receives the areas, again after each change: their element, with its name and share, and its place.
    take(list) {
      areas = list.sort((a, b) => a.y - b.y || a.x - b.x);
      layer.replaceChildren();
      for (const a of areas) {
        a.label = make("div", layer);
        make("span", a.label).textContent = a.el.dataset.name;
        if (a.el.dataset.share === "") continue;
        make("i", make("b", a.label)).style.width = `${a.el.dataset.share}%`;
      }
      at = 0;
    },
    // move shows the names or hides them, for a window that begins at x and y.
    move(show, s, x, y) {
      if (layer.hidden === show) layer.hidden = !show;
      if (!show) return;
      if (s !== at) place(s);
      layer.style.transform = `translate(${-x * s}px, ${-y * s}px)`;
    },
  };
}
