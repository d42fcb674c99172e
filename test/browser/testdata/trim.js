// Removes rows, cards and shapes that have the same markup as an earlier one in the same place: the same elements with the
// same classes, roles and attributes, and text in the same of them. It returns how many are left out.
(root) => {
	const rows = "tr, tbody, li, details, section, article, option, [data-key], [data-nav], svg a, svg path";
	const valued = new Set(["class", "role", "type", "scope", "tabindex", "colspan"]); // whose values matter, and not only whether they are there
	const named = (e) => `${e.tagName}${[...e.attributes].map((a) => ` ${a.name}${valued.has(a.name) ? `=${a.value}` : a.value ? "" : "=0"}`).sort().join("")}${
		[...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) ? " text" : ""}`;
	const markup = new Map(); // of an element and everything below it
	for (const e of [...root.querySelectorAll("*")].reverse()) markup.set(e, `${named(e)}(${[...e.children].map((c) => markup.get(c)).join()})`);
	const seen = new Set(), todo = [[root, named(root)]];
	let out = 0;
	while (todo.length) {
		const [e, path] = todo.pop();
		for (const c of [...e.children]) {
			const key = `${path}>${markup.get(c)}`;
			if (seen.has(key) && c.matches(rows)) {
				c.remove();
				out++;
				continue;
			}
			seen.add(key);
			todo.push([c, `${path}>${named(c)}`]);
		}
	}
	return out;
}
