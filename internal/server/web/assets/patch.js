// Patching: make the page equal to what the server sent, touching only what differs, so that scroll, focus and selection
// stay. Children are matched by data-key or id, others by their position.

const keyOf = (n) => n.nodeType === 1 ? n.getAttribute("data-key") ?? (n.id || null) : null;

// patch makes old equal to fresh; both are elements of the same name.
export function patch(old, fresh) {
  const stack = [[old, fresh]];
  while (stack.length) {
    const [a, b] = stack.pop();
    attributes(a, b);
    children(a, b, stack);
  }
}

// The reader's marks: the current line, and nodes that are selected, traced or found.
const marks = ["here", "sel", "lit", "found", "hit", "out", "onpath"];

function attributes(a, b) {
  const own = a.hasAttribute("data-keep"); // its size and view belong to the reader
  const driven = a.dataset.copy || a.classList.contains("js"); // hidden only without scripts
  for (const { name, value } of b.attributes) {
    if (own && (name === "viewBox" || name === "class" || name === "transform")) continue;
    if (name === "open" || name === "hidden" && driven) continue;
    const want = name === "class" ? classes(a, value) : value;
    if (a.getAttribute(name) !== want) a.setAttribute(name, want);
  }
  for (const { name } of [...a.attributes]) {
    if (!b.hasAttribute(name) && name !== "open" && !own && !a.classList.contains("js") && name !== "style") {
      if (name === "hidden" || name === "tabindex" || name === "class" && marks.some((m) => a.classList.contains(m))) continue;
      a.removeAttribute(name);
    }
  }
}

function classes(a, value) {
  const kept = marks.filter((m) => a.classList.contains(m) && !value.split(" ").includes(m));
  return [value, ...kept].join(" ");
}

function same(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
}

function children(a, b, stack) {
  const keyed = new Map();
  for (const c of a.childNodes) {
    const k = keyOf(c);
    if (k !== null) keyed.set(c.nodeName + k, c);
  }
  let at = a.firstChild;
  for (const want of [...b.childNodes]) {
    const k = keyOf(want);
    let have = k !== null ? keyed.get(want.nodeName + k) : at && same(at, want) ? at : null;
    if (have) {
      if (have !== at) a.insertBefore(have, at);
      else at = at.nextSibling;
      if (have.nodeType === 1) {
        if (!have.isEqualNode(want)) stack.push([have, want]);
      } else if (have.nodeValue !== want.nodeValue) have.nodeValue = want.nodeValue;
      continue;
    }
    const made = document.importNode(want, true);
    if (made.nodeType === 1 && k !== null) made.classList.add("arrived");
    a.insertBefore(made, at);
  }
  while (at) {
    const next = at.nextSibling;
    if (!(at.nodeType === 1 && at.classList.contains("local"))) at.remove();
    at = next;
  }
}
