package spec

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"tasker/internal/testkit/forgetest"
)

// TestAHookBringsAMerge shows the code host through the built program: commands pull, a signed request makes the server
// pull, and what is merged closes its task.
func TestAHookBringsAMerge(t *testing.T) {
	t.Parallel()
	w := begin(t)
	site := forgetest.New(false)
	w.Cleanup(site.Close)
	site.Pull("own/code", 1, func(p *forgetest.Pull) { p.Branch = "tasker/demo-1-first" })
	w.config(`"integrations": {"code_host": {"repos": ["own/code"], "autoCloseOnMerge": true}}`)
	w.plan(pair)
	w.run("sync pull").is(3).says("TASKER_CODE_HOST_TOKEN")
	w = w.with("TASKER_CODE_HOST_URL="+site.URL, "TASKER_CODE_HOST_TOKEN="+site.Token, "TASKER_CODE_HOST_SECRET=of the hook")
	w.run("sync pull --dry-run --json").is(0).has("0.system", "code_host").has("0.updated.0.task", "demo-1")
	w.run("show demo-1 --json").is(0).has("bindings.#", "0")
	w.run("sync pull").is(0).says("1 pull request read, 1 task updated")
	w.run("show demo-1 --json").is(0).has("bindings.0.ref", "own/code#1").has("bindings.0.state", "open")
	w.run("sync status --json").is(0).has("links.0.system", "code_host").has("links.0.auth", "ok")
	w.with("TASKER_CODE_HOST_TOKEN=wrong").run("sync pull").is(1).says("401").hides("wrong")

	s := w.serve()
	site.Pull("own/code", 1, func(p *forgetest.Pull) { p.Merged = true })
	const body = `{"action": "closed", "repository": {"full_name": "own/code"}}`
	mac := hmac.New(sha256.New, []byte("of the hook"))
	mac.Write([]byte(body))
	s.post("/hooks/code_host", body).is(401)
	s.post("/hooks/code_host", body, "X-Hub-Signature-256: sha256="+hex.EncodeToString(mac.Sum(nil))).is(202)
	for late := time.Now().Add(time.Minute); !strings.Contains(s.get("/v1/tasks/demo-1").out, `"status":"done"`); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			w.Fatalf("nothing was pulled in a minute: %s", s.get("/v1/projects/demo/sync").out)
		}
	}
	s.get("/v1/tasks/demo-1").is(200).has("evidence.0.kind", "pull_request").has("evidence.0.actor", "sync").has("evidence.1.kind", "commit")
}

// TestIssuesOfTheCodeHostAreTheTracker imports, pulls and pushes the issues of a code host through the built program.
func TestIssuesOfTheCodeHostAreTheTracker(t *testing.T) {
	t.Parallel()
	w := begin(t)
	site := forgetest.New(true)
	w.Cleanup(site.Close)
	site.Issue("own/code", 5, func(i *forgetest.Issue) { i.Title, i.Body = "By the site", "words" })
	site.Issue("own/code", 6, func(i *forgetest.Issue) { i.State = "closed" })
	w.config(`"integrations": {"issue_tracker": {"baseUrl": "` + site.URL + `", "projects": ["own/code"]}}`)
	w = w.with("TASKER_CODE_HOST_URL="+site.URL, "TASKER_CODE_HOST_TOKEN="+site.Token)
	w.run("import tracker --dry-run --json").is(0).has("created.#", "2").has("source", "tracker")
	w.run("import tracker --json").is(0).has("created.0.key", "own/code#5").has("created.1.key", "own/code#6").has("read", "2")
	w.run("import tracker --json").is(0).has("created.#", "0").has("read", "0")
	w.run("import tracker plan.json").is(2)
	w.run("import markdown").is(2).says("FILE")
	w.run("show demo-1 --json").is(0).has("task.title", "By the site").has("bindings.0.system", "issue_tracker").
		has("bindings.0.url", site.URL+"/own/code/issues/5")
	w.run("show demo-2 --json").is(0).has("task.status", "done")
	w.run("sync pull --json").is(0).has("0.system", "issue_tracker").has("0.read", "2").has("0.conflicts", "0")
	site.Issue("own/code", 5, func(i *forgetest.Issue) { i.Title = "Anew" })
	w.run("sync pull --json").is(0).has("0.updated.0.task", "demo-1")
	w.run("done demo-1").is(0)
	w.run("sync push --json").is(0).has("sent", "1")
	if i := site.Get("own/code", 5); i.State != "closed" || i.Title != "Anew" {
		w.Errorf("%+v", i)
	}
}
