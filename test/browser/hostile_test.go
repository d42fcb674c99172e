package browser_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// payloads returns 200 texts that would run if a page treated them as anything but text.
func payloads() []string {
	run := `window.ran=1;alert(1)`
	shapes := []string{
		`<script>%s</script>`, `"><script>%s</script>`, `'><script>%s</script>`, `</title><script>%s</script>`, `</textarea><script>%s</script>`,
		`<img src=x onerror="%s">`, `"><img src=x onerror=%s>`, `<svg onload="%s">`, `<svg><script>%s</script></svg>`, `<a href="javascript:%s">x</a>`,
		`javascript:%s`, `JaVaScRiPt:%s`, `data:text/html,<script>%s</script>`, `vbscript:%s`, `<iframe srcdoc="<script>%s</script>"></iframe>`,
		`<body onload=%s>`, `<input autofocus onfocus=%s>`, `" onmouseover="%s`, `' onfocus='%s' autofocus='`, `{{%s}}`, `${%s}`, `</svg><script>%s</script>`,
		`<math><mtext></mtext><script>%s</script></math>`, `<style>@import 'javascript:%s'</style>`, `<link rel=stylesheet href="javascript:%s">`,
		`<meta http-equiv=refresh content="0;url=javascript:%s">`, `<base href="javascript:%s//">`, `<form action="javascript:%s"><button>x</button></form>`,
		`<details open ontoggle=%s>`, `<video><source onerror="%s"></video>`, `<object data="javascript:%s"></object>`, `<embed src="javascript:%s">`,
		`<template><script>%s</script></template>`, `<noscript><p title="</noscript><img src=x onerror=%s>">`, `<!--><script>%s</script>-->`,
		`]]><script>%s</script>`, "`-%s-`", `\u003cscript\u003e%s\u003c/script\u003e`, `&lt;script&gt;%s&lt;/script&gt;`, `&#60;script&#62;%s&#60;/script&#62;`,
	}
	wraps := []string{"%s", "\u202e%s", "a\n\n%s", "%s\t\u200b", `"%s"`}
	var out []string
	for _, w := range wraps {
		for _, s := range shapes {
			out = append(out, fmt.Sprintf(w, strings.Replace(s, "%s", run, 1)))
		}
	}
	return out
}

func TestHostileTextNeverRuns(t *testing.T) {
	t.Parallel()
	texts := payloads()
	if len(texts) < 200 {
		t.Fatalf("only %d payloads", len(texts))
	}
	s := serve(t, func(s *server) {
		var tasks []map[string]any
		for i, text := range texts {
			task := map[string]any{
				"key": fmt.Sprintf("k%d", i), "title": text, "body": text + "\n" + text, "criteria": []string{text}, "touches": []string{"docs/**"},
				"links": []map[string]any{
					{"kind": "url", "ref": text, "note": text},
				}, "evidence": []map[string]any{{"kind": "test", "value": text, "note": text}},
			}
			if i%20 == 0 { // this one has all texts up to the next one
				var links, evidence []map[string]any
				for _, text := range texts[i : i+20] {
					links = append(links, map[string]any{"kind": "url", "ref": text, "note": text})
					evidence = append(evidence, map[string]any{"kind": "test", "value": text, "note": text})
				}
				task["body"], task["criteria"] = strings.Join(texts[i:i+20], "\n"), texts[i:i+20]
				task["links"], task["evidence"] = links, evidence
			}
			if i > 0 {
				task["deps"] = []string{fmt.Sprintf("k%d", (i-1)/2)}
				if i%7 == 0 {
					task["parent"] = "k0"
				}
			}
			if i%10 == 9 {
				task["status"] = "done"
			}
			tasks = append(tasks, task)
		}
		doc, err := json.Marshal(map[string]any{"project": "atlas", "name": texts[0], "vision": texts[1], "gates": map[string]any{}, "tasks": tasks})
		if err != nil {
			t.Fatal(err)
		}
		s.feed("eve", string(doc), "apply", "-f", "-")
		s.run("eve", "next", "--claim", "-p", "atlas")
		for i := 0; i < len(texts); i += 20 {
			id := fmt.Sprintf("atlas-%d", i+1)
			s.run("eve", "note", id, texts[i])
			s.run("eve", "decide", id, texts[i+1], "--because", texts[i+2])
			s.run("eve", "ask", id, texts[i+3], "--blocking")
		}
	})
	b := open(t)
	const made = `main script, main iframe, main img, main object, main embed, main [onerror], main [onload], ` +
		`a[href^='javascript:' i], a[href^='data:' i], a[href^='vbscript:' i], main style, main link, main meta, main base`
	check := func(path string) {
		if js[bool](b, `"ran" in window`) {
			t.Errorf("%s: a stored text was run as a script", path)
		}
		if n := js[int](b, `document.querySelectorAll("`+made+`").length`); n > 0 {
			t.Errorf("%s: stored texts became %d elements", path, n)
		}
		for _, w := range b.wrong() {
			t.Errorf("%s: %s", path, w)
		}
	}
	look := func(path string) {
		b.visit(s.base + path)
		check(path)
	}
	for name, path := range pages {
		other := strings.Contains(name, "-") && name != "board-rows" && name != "graph-focus" && name != "task-parent"
		if strings.HasPrefix(name, "search") || other && !long { // another form of a page is written by the same template
			continue
		}
		look(strings.Replace(path, "&up=2&down=2", "&up=8&down=8", 1))
	}
	// Every text is on one of ten pages that are opened; the pages of more tasks are read the way a browser reads them.
	step := 20
	if long {
		step = 1
	}
	for i := 0; i < len(texts); i += step {
		path := fmt.Sprintf("/t/atlas-%d", i+1)
		b.do(chromedp.Navigate(s.base + path)) // its scripts have run, though it may not be live yet
		check(path)
	}
	if wrong := js[[]string](b, fmt.Sprintf(`(async () => {
		const wrong = [];
		for (let i = 1; i <= %d; i += %d) {
			const page = new DOMParser().parseFromString(await (await fetch("/t/atlas-" + i)).text(), "text/html");
			const made = page.querySelectorAll("%s");
			if (made.length || page.title.endsWith(" · tasker") === false) wrong.push("atlas-" + i + ": " + (made[0]?.outerHTML ?? page.title));
		}
		return wrong;
	})()`, len(texts), max(1, step/4), made)); len(wrong) > 0 {
		t.Errorf("stored texts became elements: %v", wrong)
	}
	look("/search?project=atlas&limit=200&q=script")
	look("/p/atlas/events?limit=500")
	look("/p/atlas/tasks?limit=500")
	look("/p/atlas/inbox?all=true&limit=500")
	for _, i := range []int{0, 1, 10, 16, 20} { // what was searched for is shown too
		b.do(chromedp.Navigate(s.base + "/search?project=atlas&q=" + url.QueryEscape(texts[i])))
		b.until(`location.search.length > 10 && document.readyState === "complete"`)
		if js[bool](b, `"ran" in window`) {
			t.Error("a searched text was run as a script")
		}
	}
	// And live: a patch does not turn text into elements either.
	b.visit(s.base + "/p/atlas/board")
	s.run("mallory", "add", `<img src=x onerror="window.ran=1">live`, "-p", "atlas", "--priority", "0")
	b.until(`document.getElementById("main").innerText.includes("onerror=\"window.ran=1\">live")`)
	if js[bool](b, `"ran" in window || document.querySelector("main img") !== null`) {
		t.Error("a text that arrived live became an element")
	}
}
