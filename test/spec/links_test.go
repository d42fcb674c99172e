package spec

import (
	"strings"
	"time"

	"tasker/internal/testkit/jiratest"
)

// bound gives the world a plan whose first task is bound to an issue of a stand-in for a tracker, and pulls once.
func bound(w *world) (*world, *jiratest.Site) {
	w.Helper()
	site := jiratest.New(true)
	w.Cleanup(site.Close)
	site.Put("DEMO-1", func(i *jiratest.Issue) { i.Summary = "By the tracker" })
	w.config(`"integrations": {"issue_tracker": {"baseUrl": "` + site.URL + `", "projects": ["DEMO"], "statusMap": {"open": "To Do", "done": "Done"}}}`)
	w.plan(pair)
	w = w.with("TASKER_TRACKER_URL="+site.URL, "TASKER_TRACKER_USER="+site.User, "TASKER_TRACKER_TOKEN="+site.Token)
	w.run("bind demo-1 DEMO-1").is(0)
	w.run("sync pull --json").is(0).has("0.read", "1").has("0.updated.0.task", "demo-1")
	w.run("show demo-1 --json").is(0).has("task.title", "By the tracker")
	return w, site
}

// disagree makes both sides change the status, which we own.
func disagree(w *world, site *jiratest.Site) {
	w.Helper()
	w.run("review demo-1").is(0)
	site.Put("DEMO-1", func(i *jiratest.Issue) { i.Status = "Done" })
	w.run("sync pull --json").is(0).has("0.conflicts", "1")
}

func linkHealth(w *world) {
	w, site := bound(w)
	disagree(w, site)
	s := w.serve()
	s.get("/v1/projects/demo/sync").is(200).has("links.0.system", "issue_tracker").has("links.0.auth", "ok").has("links.0.pendingWrites", "0").
		has("links.0.failedWrites", "0").has("links.0.conflicts", "1").names("links.0", "lastPull", "staleMs", "error", "declared", "url")
	w.with("TASKER_TRACKER_TOKEN=wrong").run("sync pull").is(1).says("401").hides("wrong")
	s.get("/v1/projects/demo/sync").is(200).has("links.0.auth", "refused").has("links.0.error", ".*401.*")
	other := w.with("TASKER_TRACKER_URL=https://elsewhere.example")
	other.run("sync pull").is(3).says("declares " + site.URL)
	other.run("sync status --json").is(0).has("links.0.auth", "unknown").has("links.0.error", "TASKER_TRACKER_URL names .*")
}

func disagreements(w *world) {
	w, site := bound(w)
	disagree(w, site)
	got := w.serve().get("/v1/projects/demo/conflicts").is(200).has("total", "1").has("items.0.field", "status").has("items.0.ours", "in_review").
		has("items.0.theirs", "done").has("items.0.base", "open")
	for i, name := range []string{"keep_local", "take_remote", "set_value", "hand_over", "defer"} {
		got.has("items.0.resolutions."+string(rune('0'+i))+".name", name)
	}
	w.run("conflicts").is(0).says(got.text("items.0.id") + "  demo-1  By the tracker").says(`    status: "in_review" here, "done" there, "open" before`)
	w.run("inbox --all --json").is(0).has("items.1.kind", "divergence").has("items.1.settle.0", "tasker resolve "+got.text("items.0.id")+" keep_local")
	w.run("resolve " + got.text("items.0.id") + " defer").is(0).says("deferred until either side changes; status of demo-1 is \"in_review\" here meanwhile")
	w.run("resolve " + got.text("items.0.id") + " keep_local").is(0)
	w.run("sync plan --json").is(0).has("writes.0.field", "status").has("writes.0.to", "in_review")
	w.run("sync push --json").is(0).has("sent", "1").has("pending", "0")
	if st := site.Get("DEMO-1").Status; st != "In Progress" { // the first of its category: in_review is not mapped
		w.Errorf("the issue is %s", st)
	}
	w.run("sync pull --json").is(0).has("0.conflicts", "0").has("0.planned", "0")
}

func owners(w *world) {
	w, _ = bound(w)
	r := w.serve().get("/v1/projects/demo/ownership").is(200).has("project", "demo").has("preset", "split")
	r.has("fields.0.field", "title").has("fields.0.owner", "tracker").has("fields.7.field", "status").has("fields.7.owner", "local")
	w.run("ownership set local").is(0)
	w.serve().get("/v1/projects/demo/ownership").is(200).has("preset", "local").has("fields.0.owner", "local")
}

func backgroundLoop(w *world) {
	w, site := bound(w)
	w.run("review demo-1").is(0)
	site.Put("DEMO-1", func(i *jiratest.Issue) { i.Summary = "Changed there" })
	s := w.serve("--sync", "1s")
	late := time.Now().Add(time.Minute)
	for !strings.Contains(w.run("show demo-1").out, "Changed there") || s.get("/v1/projects/demo/sync").text("loop.lastRun") == "null" {
		if time.Now().After(late) {
			w.Fatalf("nothing was pulled in a minute: %s", s.get("/v1/projects/demo/sync").out)
		}
	}
	s.get("/v1/projects/demo/sync").is(200).has("loop.everyMs", "1000").has("links.0.pendingWrites", "1")
	if st := site.Get("DEMO-1").Status; st != "To Do" {
		w.Errorf("the loop wrote the status %s", st)
	}
}
