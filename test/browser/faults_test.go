package browser_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// stumbled fills a server with a small project that has what people stumbled over: questions, reviews of open and of
// closed tasks, a tree of three levels, wide titles, an archived project.
func stumbled(s *server) {
	s.write(".tasker.json", `{"version": 1, "project": "shop", "actors": [{"name": "bot", "kind": "agent"}]}`)
	plan := `{"project": "shop", "name": "Shop", "tasks": [
		{"key": "root", "title": "Everything"}, {"key": "epic", "title": "Checkout", "parent": "root"},
		{"key": "pay", "title": "Take payments", "parent": "epic", "due": "2020-01-02"},
		{"key": "mail", "title": "Send the receipt", "parent": "epic", "deps": ["pay"]},
		{"key": "keys", "title": "Rotate the keys", "autonomy": "supervised"}, {"key": "read", "title": "Read the terms"},
		{"key": "ask", "title": "Choose a currency"},
		{"key": "wide", "title": "` + strings.Repeat("WWWW MMMM ", 12) + `", "parent": "epic"},
		{"key": "han", "title": "` + strings.Repeat("漢字", 40) + `", "parent": "epic"}]}`
	s.feed("ada", plan, "apply", "-f", "-")
	s.run("bot", "claim", "shop-5")
	s.run("bot", "done", "shop-5") // an agent closes what is supervised only while no human is declared
	s.write(".tasker.json", `{"version": 1, "project": "shop", "actors": [{"name": "ada", "kind": "human", "default": true}, {"name": "bot", "kind": "agent"}]}`)
	s.feed("ada", plan, "apply", "-f", "-")
	s.run("bot", "claim", "shop-6")
	s.run("bot", "review", "shop-6")
	s.run("bot", "ask", "shop-7", "Euro or pound?", "--blocking", "--to", "ada")
	s.run("bot/2", "claim", "shop-3")
	s.run("ada", "project", "create", "old", "--name", "Put away")
	s.run("ada", "project", "archive", "old")
	s.actor = "ada"
}

// offered returns the commands that a page offers.
func offered(b *tab) []string {
	return js[[]string](b, `[...document.querySelectorAll("main .cmd code, .wide-banner .cmd code")].map((c) => c.textContent)`)
}

// TestWhatPeopleStumbledOver has one case for each fault that people found, by its number: 1 and 2 "every command of the inbox
// settles its item", 3 "states add up", 4 "the trail leads", 5 "an archived project", 6 "folding stays in place", 7 "two fingers
// zoom", 8, 12 and 13 "pages fit a phone" (and TestEveryPage at every width), 9 "the palette finds tasks", 10 "text stays in
// its node", 11 "a lost address", 14 "the first page says what is ready for whom".
func TestWhatPeopleStumbledOver(t *testing.T) {
	t.Parallel()
	s := serve(t, stumbled)
	b := open(t)
	check := func(name string, do func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			b.t = t
			do(t)
			for _, w := range b.wrong() {
				t.Error(w)
			}
		})
	}
	check("every command of the inbox settles its item", func(t *testing.T) {
		b.visit(s.base + "/p/shop/inbox")
		if first := js[string](b, `document.querySelector(".needs .headline").textContent`); first != "Euro or pound?" {
			t.Errorf("the inbox begins with %q", first)
		}
		all := strings.Join(offered(b), "\n")
		for _, want := range []string{"tasker answer ", "tasker done shop-6", "tasker return shop-6 --because 'TEXT'", "tasker approve shop-5"} {
			if !strings.Contains(all, want) {
				t.Errorf("the inbox does not offer %s:\n%s", want, all)
			}
		}
		if strings.Contains(all, "tasker done shop-5") {
			t.Error("the inbox offers to close what is closed")
		}
		b.until(`document.getElementById("badge").textContent === "3"`)
	})
	check("states add up, parents too", func(t *testing.T) {
		b.visit(s.base + "/p/shop")
		if first := js[string](b, `document.querySelector(".wants .headline")?.textContent ?? ""`); first != "Euro or pound?" {
			t.Errorf("the overview begins with %q, and not with the question", first)
		}
		if sum := js[int](b, `[...document.querySelectorAll(".tile:not(:has([href*='mark='])) :is(b, small)")].reduce((n, e) => n + parseInt(e.textContent), 0)`); sum != 9 {
			t.Errorf("the tiles add up to %d of 9 tasks", sum)
		}
		if n := js[int](b, `document.querySelectorAll(".tile:not(:has(a))").length`); n > 0 {
			t.Errorf("%d tiles lead nowhere", n)
		}
		b.visit(s.base + "/p/shop/board")
		if got := js[string](b, `document.querySelector(".lane-waiting [data-key=shop-4] .waits").textContent.replace(/\s+/g, " ").trim()`); got !=
			"waits for shop-3 Take payments, held by bot/2" {
			t.Errorf("a waiting card says %q", got)
		}
		if got := js[string](b, `document.querySelector("[data-key=shop-3] .mark.late").textContent`); !strings.HasSuffix(got, " d overdue") {
			t.Errorf("an overdue card says %q", got)
		}
	})
	check("the trail leads from the outermost down", func(t *testing.T) {
		b.visit(s.base + "/t/shop-4")
		if got := js[string](b, `document.querySelector(".crumbs").textContent`); got != "Everything › Checkout › shop-4" {
			t.Errorf("the trail is %q", got)
		}
		if got := js[string](b, `document.querySelector("#now").textContent`); !strings.Contains(got, "Waits for shop-3 Take payments (bot/2)") {
			t.Errorf("the banner says %q", got)
		}
		if got := js[string](b, `document.querySelector(".off").textContent`); !strings.Contains(got, "tasker claim shop-4") || !strings.Contains(got, "not now") {
			t.Errorf("what would be refused is shown as %q", got)
		}
	})
	check("a task says why, and the command for its reader", func(t *testing.T) {
		for path, want := range map[string]string{
			"/t/shop-7": "tasker answer", "/t/shop-6": "tasker done shop-6", "/t/shop-8": "tasker start shop-8",
		} {
			b.visit(s.base + path)
			if got := js[string](b, `document.querySelector("#now .cmd code")?.textContent ?? ""`); !strings.HasPrefix(got, want) {
				t.Errorf("%s leads with %q, want %q", path, got, want)
			}
		}
		b.visit(s.base + "/t/shop-5")
		if got := js[string](b, `document.querySelector("main").textContent`); strings.Contains(got, "may not claim") || strings.Contains(got, "not ready") {
			t.Error("a done task says whether it could be claimed")
		}
		b.visit(s.base + "/t/shop-4")
		if got := js[string](b, `document.querySelector("#why .reasons").textContent`); !strings.Contains(got, "it waits for shop-3") {
			t.Errorf("why it is not ready is given as %q", got)
		}
	})
	check("an archived project says so and offers nothing that is refused", func(t *testing.T) {
		for _, page := range []string{"", "/board", "/work", "/machine", "/timeline", "/graph", "/tasks", "/inbox"} {
			all := js[[]string](b, `fetch("/p/old`+page+`").then((r) => r.text()).then((text) => [...new DOMParser().parseFromString(text, "text/html")`+
				`.querySelectorAll("main .cmd code, .wide-banner .cmd code")].map((c) => c.textContent))`)
			if len(all) == 0 || all[0] != "tasker project unarchive old" {
				t.Errorf("%s does not say how to bring the project back: %v", page, all)
			}
			for _, c := range all[min(1, len(all)):] {
				t.Errorf("%s offers %s", page, c)
			}
		}
	})
	check("a lost address is a page to a browser and JSON to a program", func(t *testing.T) {
		b.do(chromedp.Navigate(s.base + "/nope"))
		b.until(`document.querySelector("h1")?.textContent === "Not Found"`)
		b.do(chromedp.Navigate(s.base + "/p/shop/nope"))
		b.until(`document.querySelector("h1")?.textContent === "Not Found" && document.querySelectorAll(".tabs a").length === 7`)
		b.wrong() // a missing page is reported on the console
		res, err := http.Get(s.base + "/nope")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 404 || !strings.HasPrefix(string(text), "{") {
			t.Errorf("a program is answered with %d %s", res.StatusCode, text)
		}
	})
	check("the page of all projects says what is ready for whom", func(t *testing.T) {
		b.visit(s.base + "/?all=false")
		all := js[string](b, `[...document.querySelectorAll("h2")].find((h) => h.textContent.includes("Ready for"))?.textContent ?? ""`)
		if !strings.Contains(all, "Ready for ada") || !strings.ContainsAny(all, "0123456789") {
			t.Errorf("ready work is under %q", all)
		}
	})
	check("the palette finds tasks from everywhere and closes", func(t *testing.T) {
		b.visit(s.base + "/")
		b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.until(`document.querySelector("dialog.palette[open] [role=option]")`)
		b.press("payments")
		b.until(`[...document.querySelectorAll("dialog.palette li")].some((li) => li.textContent.includes("shop-3"))`)
		b.press(kb.Escape)
		b.until(`!document.querySelector("dialog")`)
	})
	check("text stays in its node", func(t *testing.T) {
		b.visit(s.base + "/p/shop/graph?show=all")
		b.until(`document.querySelector("#canvas.driven")`)
		if over := js[[]string](b, `[...document.querySelectorAll("#net .node")].filter((n) => { const box = n.querySelector(".box").getBBox();
			return [...n.querySelectorAll("text:not(.fold)")].some((t) => t.getBBox().x + t.getComputedTextLength() > box.x + box.width); })
			.map((n) => n.textContent)`); len(over) > 0 {
			t.Errorf("text leaves these nodes: %q", over)
		}
	})
	check("a click selects and opens a panel, a second one the page", func(t *testing.T) {
		b.visit(s.base + "/p/shop/graph?show=all")
		b.until(`document.querySelector("#canvas.driven")`)
		js[bool](b, `document.querySelector('.node[data-id="shop-4"]').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})); true`)
		b.until(`!document.getElementById("panel").hidden && document.querySelector("#panel .banner").textContent.includes("shop-3")`)
		if got := js[string](b, `location.pathname`); got != "/p/shop/graph" {
			t.Errorf("a click led to %s", got)
		}
		js[bool](b, `document.querySelector('.node[data-id="shop-3"]').dispatchEvent(new MouseEvent("click",
			{bubbles: true, cancelable: true, shiftKey: true})); true`)
		if n := js[int](b, `document.querySelectorAll(".node.onpath").length`); n != 2 {
			t.Errorf("the path between two neighbours has %d tasks", n)
		}
		js[bool](b, `document.querySelector('.node[data-id="shop-3"]').dispatchEvent(new MouseEvent("dblclick", {bubbles: true})); true`)
		b.until(`location.pathname === "/t/shop-3"`)
	})
	check("find goes from one to the next", func(t *testing.T) {
		b.visit(s.base + "/p/shop/graph?show=all")
		b.until(`document.querySelector("#canvas.driven")`)
		b.do(chromedp.Focus("#graphfind"))
		b.press("shop")
		b.until(`document.getElementById("graphfound").textContent === "1 of 9"`)
		b.press(kb.Enter)
		b.until(`document.getElementById("graphfound").textContent === "2 of 9" && document.querySelector("#net.finding")`)
	})
	check("folding stays in place", func(t *testing.T) {
		b.visit(s.base + "/p/shop/graph?show=all")
		b.until(`document.querySelector("#canvas.driven")`)
		b.do(
			chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, 900, 700, chromedp.ButtonLeft),
			chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1000, 640, chromedp.ButtonLeft),
			chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, 1000, 640, chromedp.ButtonLeft),
		)
		b.until(`location.hash.startsWith("#v=")`)
		before := js[[]float64](b, `(() => { const r = document.querySelector('.frame[data-key="gshop-2"]').getBoundingClientRect(); return [r.x, r.y]; })()`)
		js[bool](b, `document.querySelector('.frame[data-key="gshop-2"] a').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})); true`)
		b.until(`location.search.includes("fold=shop-2") && document.querySelector("#world[transform]")`)
		after := js[[]float64](b, `(() => { const r = document.querySelector('.node[data-id="shop-2"] .box').getBoundingClientRect(); return [r.x, r.y]; })()`)
		for i := range before {
			if d := before[i] - after[i]; d > 3 || d < -3 {
				t.Errorf("what was folded was at %v and is at %v", before, after)
			}
		}
	})
	check("two fingers zoom", func(t *testing.T) {
		b.visit(s.base + "/p/shop/graph?show=all")
		b.until(`document.querySelector("#world[transform]")`)
		scale := func() float64 {
			return js[float64](b, `Number(/scale\(([\d.]+)/.exec(document.getElementById("world").getAttribute("transform"))[1])`)
		}
		before := scale()
		js[bool](b, `(() => { const c = document.getElementById("canvas"), r = c.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
			const at = (type, id, dx) => c.dispatchEvent(new PointerEvent(type,
				{bubbles: true, pointerId: id, pointerType: "touch", button: 0, clientX: x + dx, clientY: y}));
			at("pointerdown", 1, -20); at("pointerdown", 2, 20); at("pointermove", 1, -60); at("pointermove", 2, 60);
			at("pointerup", 1, -60); at("pointerup", 2, 60); return true; })()`)
		b.until(fmt.Sprintf(`Number(/scale\(([\d.]+)/.exec(document.getElementById("world").getAttribute("transform"))[1]) > %g`, before*1.5))
	})
	check("pages fit a phone", func(t *testing.T) {
		b.do(chromedp.EmulateViewport(390, 800))
		defer b.do(chromedp.EmulateViewport(1360, 900))
		for _, path := range []string{"/", "/p/shop", "/p/shop/board", "/p/shop/timeline", "/search?q=payments", "/t/shop-8", "/p/shop/tasks", "/p/shop/graph"} {
			b.visit(s.base + path)
			if over := js[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s is %d pixels wider than a phone", path, over)
			}
			if lanes := js[int](b, `document.querySelectorAll('.chart a[href="/t/shop-3"] .span').length`); strings.HasSuffix(path, "timeline") && lanes != 1 {
				t.Errorf("the bar of what bot/2 holds leads to its task %d times", lanes)
			}
			if tile := js[bool](b, `[...document.querySelectorAll(".tile")].some((t) => t.scrollWidth > t.clientWidth)`); tile {
				t.Errorf("%s: a tile overflows", path)
			}
			if current := js[bool](b, `(() => { const t = document.querySelector(".tabs [aria-current]"); if (!t) return true; const r = t.getBoundingClientRect();
				return r.left >= 0 && r.right <= innerWidth; })()`); !current {
				t.Errorf("%s: the current tab is out of sight", path)
			}
			if !long && path != "/p/shop/board" && path != "/t/shop-8" {
				continue
			}
			// The colours are those of a wide window, in which every page is checked.
			for _, v := range b.perform(t, `{resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}}`) {
				t.Errorf("%s: %s", path, v)
			}
		}
	})
}
