// Walks the pages of a project from the first one, by their links and the choices of their forms, and compares every number that counts something with
// the list behind it. It finds numbers by markup and words, on whatever page they are:
//
// - a link whose text counts (a tile, "3 overdue", "50 of 617 shown: see all") leads to as many;
// - a heading with a number and a link counts what is behind the link, otherwise what its own section lists;
// - "9 closed tasks" that can be unfolded, a step or a batch has as many tasks in it;
// - a sentence about the project ("7 are held, 2 overdue") says what the list of that state says;
// - a title that begins with a number says what the inbox says.
//
// It returns how many pages it read, which kinds of numbers it compared how often, and what is wrong.
async (start, project) => {
	const number = (text) => Number(text.replaceAll(",", ""));
	const found = /\d[\d,]*/;
	const kinds = {}, wrong = [], docs = new Map(), todo = [start], seen = new Set(todo);

	// read returns a page, once.
	const read = (path) => {
		if (!docs.has(path)) {
			docs.set(path, fetch(path).then(async (r) => {
				if (!r.ok) wrong.push(`${path} is answered ${r.status}`);
				return new DOMParser().parseFromString(await r.text(), "text/html");
			}));
		}
		return docs.get(path);
	};
	// words returns the text of an element without what somebody wrote, and without moments and ids.
	const words = (e) => {
		const copy = e.cloneNode(true);
		for (const other of copy.querySelectorAll("time, bdi, .id, .fresh, code, button, svg, .g")) other.remove();
		for (const part of copy.querySelectorAll("*")) part.before(" "), part.after(" "); // they stand apart
		return copy.textContent.replaceAll(/\s+/g, " ").replaceAll(/ (?=[,.;+])/g, "").trim();
	};
	// items returns how many things are listed below an element: rows and cards, and in place of a group its members.
	// Idle workers are listed as well, but not counted: no number is about them.
	const items = (scope) => {
		const all = new Set();
		const rows = [...scope.querySelectorAll("[data-nav]:not(.w-idle)")];
		for (const e of rows.length ? rows : scope.querySelectorAll("[data-key]:not(:has([data-key]), section, details)")) {
			const group = e.matches(".grouphead") ? e.closest("tbody").querySelectorAll("tr[data-key]") : e.querySelectorAll(".alike > li, .disputes > li");
			const key = e.dataset.key ?? e.closest("[data-key]").dataset.key;
			for (let i = 0; i < Math.max(1, group.length); i++) all.add(`${key} ${i}`);
		}
		for (const e of scope.querySelectorAll(".cause .list > li")) all.add(e.querySelector(".id").textContent); // the rest of a long group
		return all.size;
	};
	// within returns an element that contains a copy of the element.
	const within = (e) => { const box = document.createElement("div"); box.append(e.cloneNode(true)); return box; };
	// whole returns how many things a section has, of which it may list only the first and say so.
	const whole = (scope, page, text) => {
		const n = items(scope);
		for (const more of scope.querySelectorAll(".more a")) {
			const of = words(more).match(/^(\d[\d,]*) of (\d[\d,]*)/);
			if (!of) continue;
			compare("shown", page, `${text}: ${words(more)}`, number(of[1]), n);
			return number(of[2]);
		}
		return n;
	};
	// section returns the elements that a heading is about.
	const section = (heading) => {
		const own = document.createElement("div");
		const box = heading.closest("section");
		if (box && box.querySelector("h1, h2, h3") === heading && box.querySelectorAll(heading.tagName).length === 1) return box;
		const level = heading.tagName;
		for (let e = (heading.parentElement.matches(".pagehead") ? heading.parentElement : heading).nextElementSibling; e; e = e.nextElementSibling) {
			if (e.tagName <= level && /^H\d$/.test(e.tagName)) break;
			own.append(e.cloneNode(true));
		}
		return own;
	};
	// total returns how many things a page lists, all its pages together: in its part of that name, if it has one.
	const total = async (path, part) => {
		const [address, hash] = path.split("#");
		let doc = await read(address), n = 0;
		if (hash) {
			const at = doc.getElementById(hash);
			return at ? whole(section(at), path, words(at)) : NaN;
		}
		for (let i = 0; i < 40; i++) {
			const main = doc.querySelector("main");
			const parts = part ? main.querySelectorAll(part) : [];
			for (const p of parts.length ? parts : [main]) n += items(p);
			const next = main.querySelector("a[rel=next]") ?? [...main.querySelectorAll(".more a")].find((a) => a.getAttribute("href").includes("limit="));
			if (!next) return n;
			if (!next.matches("[rel=next]")) n = 0; // the same, and more
			doc = await read(resolve(address, next));
		}
		return NaN;
	};
	// behind is total for the link of a heading, which may lead to a page with several lists: one of them has as many.
	const behind = async (path, says) => {
		const lists = [...(await read(path.split("#")[0])).querySelectorAll("main h2 small")].map((e) => counted(words(e)));
		return lists.length > 1 && lists.includes(says) ? says : total(path);
	};
	const resolve = (from, a) => {
		const url = new URL(a.getAttribute("href"), location.origin + from);
		return url.origin === location.origin ? url.pathname + url.search + url.hash : "";
	};
	const compare = (kind, page, text, says, finds) => {
		kinds[kind] = (kinds[kind] ?? 0) + 1;
		if (says !== finds) wrong.push(`${page}: "${text}" says ${says}, and there ${finds === 1 ? "is" : "are"} ${finds}`);
	};
	// counted returns the number that a text counts with: the last of "3 of 7", the first or the only one otherwise.
	const counted = (text) => {
		const of = text.match(/(\d[\d,]*)\+? of (\d[\d,]*)/);
		if (of) return number(of[2]);
		if (/\d(:| d| h| min|:\d)/.test(text)) return NaN; // an age
		const all = text.match(/(?<![\w.#-])\d[\d,]*(?![\w%]| %|\.\d)/g) ?? [];
		if (all.length === 1 || all.length && text.startsWith(all[0])) return number(all[0]);
		return NaN;
	};

	// What is true of the project: the list of each state.
	const truth = {};
	for (const [said, query] of Object.entries({
		ready: "state=ready", waiting: "state=waiting", held: "state=held", "in review": "state=in_review", done: "state=done", cancelled: "state=cancelled",
		overdue: "due=overdue", "kept back by a question": "state=asked", "in progress and held by nobody": "state=unheld",
	})) truth[said] = await total(`/p/${project}/tasks?${query}`);

	while (todo.length && docs.size < 1000) {
		const page = todo.shift(), doc = await read(page), main = doc.querySelector("main");
		if (!main) continue;
		const visit = (path) => {
			// Other moments, other orders and single files show the same once more.
			if (seen.has(path) || /[?&](at|since|since_id|before_id|sort|cursor|fold|open|focus|kind|limit)=|\/assets\/|\.svg|\/graph\//.test(path)) return;
			seen.add(path);
			todo.push(path);
		};
		if (!page.includes("?")) { // one choice at a time
			for (const form of doc.querySelectorAll("form:not([method=post])")) {
				const action = form.getAttribute("action") || page;
				for (const o of form.querySelectorAll("select:not([name=project]) option[value]")) {
					if (o.value) visit(`${action}?${o.closest("select").name}=${encodeURIComponent(o.value)}`);
				}
				if (form.querySelector("input[name=q]")) visit(`${action}?q=order`);
			}
		}
		for (const a of doc.querySelectorAll("a[href]")) {
			const to = resolve(page, a);
			if (!to || a.closest("svg, code, .text")) continue;
			visit(to.split("#")[0]);
			const text = words(a), says = counted(text);
			if (Number.isNaN(says) || a.matches(".id, .title, .headline") || a.closest("h1, h2, h3") && a.closest("h1, h2, h3").querySelector("small") && !a.closest("small")) continue;
			const there = await total(to);
			if (/^\d[\d,]* more\b/.test(text)) compare("more", page, text, says, there - items(a.closest("section"))); // besides what is listed here
			else if (/[?&]open=/.test(to)) compare("folded", page, text, says, there - await total(page)); // next to the epic
			else compare("link", page, text, says, there);
		}
		for (const h of main.querySelectorAll("h1, h2, h3")) {
			const small = h.querySelector("small");
			if (!small || small.querySelector("a")) continue;
			const each = [...h.querySelectorAll("small")].map(words); // a lane of a board counts two states
			const text = words(h), says = each.length > 1 ? String(each.reduce((n, e) => n + number(e), 0)) : each[0];
			const shown = says.match(/^(\d[\d,]*) of (\d[\d,]*) shown/), all = says.match(/^(\d[\d,]*)\+?(?:, (\d[\d,]*) shown)?(?: tasks?\b(?!, grouped)| on \d|$)/);
			const link = h.querySelector("a:not(.id, .title)");
			if (shown) compare("heading", page, text, number(shown[1]), items(section(h)));
			else if (all && link) compare("heading", page, text, number(all[1]), await behind(resolve(page, link), number(all[1])));
			else if (all && all[2]) compare("heading", page, text, number(all[2]), items(section(h)));
			else if (all && h.tagName === "H1") compare("heading", page, text, number(all[1]), await total(page, ".needs"));
			else if (/^\d+ of \d+ ticked/.test(says)) {
				const [done, of] = says.match(/\d+/g).map(Number), list = section(h);
				compare("ticks", page, text, done, list.querySelectorAll("li.yes").length);
				compare("ticks", page, text, of, list.querySelectorAll("li.yes, li.no").length);
			} else if (/^\d+ below/.test(says)) compare("below", page, text, Number(says.match(/\d+/)[0]), await total(`/p/${project}/tasks?under=${page.slice(3)}`));
			else if (all) compare("heading", page, text, number(all[1]), whole(section(h), page, text));
		}
		for (const s of main.querySelectorAll("summary, .stephead, .batches > li")) {
			const m = words(s.querySelector(":scope > .quiet") ?? s).match(/^(\d[\d,]*) (?:(?:\w+ )?tasks?\b|of \d[\d,]* shown)/);
			if (!m) continue;
			const box = s.matches("summary, .stephead") ? s.parentElement : s;
			compare("group", page, words(s).slice(0, 60), number(m[1]), new Set([...box.querySelectorAll("li [class=id], li .id, .ids .id")].filter((e) => !e.closest("details ul ul")).map((e) => e.textContent)).size);
		}
		for (const s of main.querySelectorAll(".cause > summary")) {
			// A root may hold up more than the group lists; it says how many it lists.
			const listed = words(s.parentElement.querySelector(":scope > .why")).match(/(\d[\d,]*) of them (?:is|are) listed here/);
			compare("cause", page, words(s), listed ? number(listed[1]) : counted(words(s)), items(within(s.parentElement)));
		}
		for (const h of main.querySelectorAll("tbody th small")) {
			compare("rows", page, words(h.parentElement), counted(words(h)), h.closest("tbody").querySelectorAll("[data-nav]").length);
		}
		for (const p of main.querySelectorAll(".lead, .across")) {
			const text = words(p);
			if (!page.startsWith(`/p/${project}`)) continue;
			for (const m of text.matchAll(/(\d[\d,]*) (?:tasks? )?(?:is |are )?(ready|waiting(?! for)|held|in review|done|cancelled|overdue|kept back by a question|in progress and held by nobody)/g)) {
				compare("sentence", page, m[0], number(m[1]), truth[m[2]]);
			}
			for (const m of text.matchAll(/workers? holds? (\d[\d,]*) tasks?/g)) compare("sentence", page, m[0], number(m[1]), truth.held);
		}
		const titled = doc.title.match(/^\((\d[\d,]*)\)/);
		if (titled) compare("title", page, doc.title, number(titled[1]), await total(page.startsWith("/?") ? page : `/p/${project}/inbox`));
	}
	return { pages: docs.size, left: todo.length, kinds, wrong };
}
