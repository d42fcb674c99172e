package spec

import (
	"testing"

	"tasker/internal/testkit/forgetest"
	"tasker/internal/testkit/jiratest"
)

// TestEachSystemIsPulledByItself has a code host that lacks a repository next to a tracker that works, and the reverse.
func TestEachSystemIsPulledByItself(t *testing.T) {
	t.Parallel()
	w := begin(t)
	jira, forge := jiratest.New(true), forgetest.New(false)
	w.Cleanup(jira.Close)
	w.Cleanup(forge.Close)
	jira.Put("DEMO-1", func(i *jiratest.Issue) { i.Summary = "By the tracker" })
	forge.Pull("own/code", 1, func(p *forgetest.Pull) { p.Branch = "tasker/demo-1-first" })
	w.config(`"integrations": {"issue_tracker": {"baseUrl": "` + jira.URL + `", "projects": ["DEMO"]}, "code_host": {"repos": ["own/code", "own/gone"]}}`)
	w.plan(pair)
	w = w.with("TASKER_TRACKER_URL="+jira.URL, "TASKER_TRACKER_USER="+jira.User, "TASKER_TRACKER_TOKEN="+jira.Token,
		"TASKER_CODE_HOST_URL="+forge.URL, "TASKER_CODE_HOST_TOKEN="+forge.Token)
	w.run("bind demo-1 DEMO-1").is(0)
	gone := ".*" + forge.URL + ` \(own/gone\): the code host answers 404: Not Found`
	w.run("sync pull --json").is(1).has("#", "2").has("0.system", "issue_tracker").has("0.updated.0.task", "demo-1").
		has("1.system", "code_host").has("1.error", gone).has("1.read", "0")
	w.run("show demo-1 --json").is(0).has("task.title", "By the tracker").has("bindings.#", "1")
	w.run("sync pull").is(1).says("1 issue read").says(`\(own/gone\)`)
	w.run("sync status --json").is(0).has("links.0.error", "null").has("links.1.lastPull", "null").has("links.1.error", gone)

	forge.Branch("own/gone", "main", true) // it is there now
	w = w.with("TASKER_TRACKER_TOKEN=wrong")
	w.run("sync pull --json").is(1).has("0.error", ".*"+jira.URL+": the tracker answers 401.*").has("1.updated.0.task", "demo-1")
	was := w.run("sync status --json").is(0).has("links.0.auth", "refused").has("links.1.auth", "ok").text("links.0.lastPull")
	w.run("sync pull --json").is(1)
	w.run("sync status --json").is(0).has("links.0.lastPull", was)
	w.with("TASKER_TRACKER_TOKEN=", "TASKER_CODE_HOST_TOKEN=").run("sync pull").is(3)
}

// TestCredentialsAreOfTheSiteThatIsDeclaredNow pulls successfully, and then declares another site.
func TestCredentialsAreOfTheSiteThatIsDeclaredNow(t *testing.T) {
	t.Parallel()
	w, site := bound(begin(t))
	w.run("sync status --json").is(0).has("links.0.auth", "ok").has("links.0.url", site.URL)
	other := jiratest.New(true)
	w.Cleanup(other.Close)
	other.Put("DEMO-1", func(i *jiratest.Issue) { i.Summary = "Elsewhere" })
	other.Pass(1) // its records are older than the last pull of the first site
	w.config(`"integrations": {"issue_tracker": {"baseUrl": "` + other.URL + `", "projects": ["DEMO"]}}`)
	w = w.with("TASKER_TRACKER_URL=" + other.URL)
	w.run("sync status --json").is(0).has("links.0.auth", "unknown").has("links.0.url", other.URL).has("links.0.lastPull", "null")
	w.with("TASKER_TRACKER_TOKEN=").run("sync pull").is(3)
	w.run("sync status --json").is(0).has("links.0.auth", "missing").has("links.0.lastPull", "null")
	w.run("sync pull --json").is(0).has("0.read", "1")
	w.run("sync status --json").is(0).has("links.0.auth", "ok")
}

// TestATaskIsBoundWhereTheSiteIsClear binds while the environment names another site, and while it names none.
func TestATaskIsBoundWhereTheSiteIsClear(t *testing.T) {
	t.Parallel()
	w := begin(t)
	w.plan(pair)
	w.run("bind demo-1 DEMO-1 --json").is(0).has("url", "null").has("warnings.0", "no tracker is declared here.*")
	w.run("unbind demo-1 DEMO-1").is(0)
	w.with("TASKER_TRACKER_URL=https://jira.example").run("bind demo-1 DEMO-1 --json").is(0).has("url", "https://jira.example/browse/DEMO-1")
	w.config(`"integrations": {"issue_tracker": {"baseUrl": "https://jira.example"}}`)
	w.with("TASKER_TRACKER_URL=https://elsewhere.example").run("bind demo-2 DEMO-2").is(3).says("TASKER_TRACKER_URL names https://elsewhere.example")
	w.run("bind demo-2 DEMO-2 --json").is(0).has("url", "https://jira.example/browse/DEMO-2")
}
