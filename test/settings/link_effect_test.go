package settings

import (
	"tasker/internal/testkit/forgetest"
	"tasker/internal/testkit/jiratest"
)

// linkEffects are the rows of effects for links to other systems.
var linkEffects = []effect{
	{
		key:    "integrations.issue_tracker.baseUrl",
		with:   `"integrations": {"issue_tracker": {"baseUrl": "https://jira.test"}}`,
		do:     []string{"claude bind demo-1 https://jira.test/browse/DEMO-1"},
		before: `^2 `,
		after:  `^0 `,
	},
	{
		key: "integrations.issue_tracker.baseUrl", also: "mismatch",
		with:   `"integrations": {"issue_tracker": {"baseUrl": "https://jira.test"}}`,
		do:     []string{"tracker", "claude sync pull"},
		before: `^0 `,
		after:  `^3 (?s:.)*jira\.test`,
	},
	{
		key:    "integrations.issue_tracker.projects",
		with:   `"integrations": {"issue_tracker": {"projects": ["OTHER"]}}`,
		do:     []string{"claude bind demo-1 DEMO-1"},
		before: `^0 `,
		after:  `^3 (?s:.)*OTHER`,
	},
	{
		key:    "integrations.issue_tracker.statusMap",
		with:   `"integrations": {"issue_tracker": {"statusMap": {"in_review": "Waiting"}}}`,
		do:     pulled("ownership set tracker", "show demo-1 --json"),
		before: `"status":"in_progress"`,
		after:  `"status":"in_review"`,
	},
	{
		key:    "integrations.issue_tracker.fields",
		with:   `"integrations": {"issue_tracker": {"fields": {"severity": "customfield_3"}}}`,
		do:     pulled("ownership set split", "show demo-1 --json"),
		before: `"severity":null`,
		after:  `"severity":2`,
	},
	{
		key:    "integrations.code_host.repos",
		with:   `"integrations": {"code_host": {"repos": ["own/code"]}}`,
		do:     []string{"claude bind demo-1 own/code#1"},
		before: `^3 `,
		after:  `^0 `,
	},
	{
		key:     "integrations.code_host.autoCloseOnMerge",
		without: `"integrations": {"code_host": {"repos": ["own/code"]}}`,
		with:    `"integrations": {"code_host": {"repos": ["own/code"], "autoCloseOnMerge": true}}`,
		do:      []string{"host", "claude sync pull", "claude show demo-1 --json"},
		before:  `"status":"open","priority"`,
		after:   `"status":"done","priority"`,
	},
	{
		key: "integrations.code_host.autoCloseOnMerge", also: "gates",
		without: merged + `, "gates": {"ship": []}`,
		with:    merged + `, "gates": {"ship": ["test"]}`,
		plan:    inGate,
		do:      []string{"host", "claude sync pull", "claude show demo-1 --json"},
		before:  `"status":"done","priority"`,
		after:   `"status":"open","priority"`,
	},
}

// merged is the configuration that autoCloseOnMerge is tried with.
const merged = `"integrations": {"code_host": {"repos": ["own/code"], "autoCloseOnMerge": true}}`

// host starts a stand-in for a code host with one merged pull request, and points the commands to it.
func (p *place) host() {
	site := forgetest.New(true)
	p.Cleanup(site.Close)
	site.Pull("own/code", 1, func(r *forgetest.Pull) { r.Body, r.Merged = "Task: demo-1", true })
	p.Setenv("TASKER_CODE_HOST_URL", site.URL)
	p.Setenv("TASKER_CODE_HOST_TOKEN", site.Token)
}

// pulled returns the steps of a pull, with one before it and one after.
func pulled(before, after string) []string {
	return []string{"tracker", "claude bind demo-1 DEMO-1", "claude " + before, "claude sync pull", "claude " + after}
}

// tracker starts a stand-in for a Jira site with one issue, and points the commands to it.
func (p *place) tracker() {
	site := jiratest.New(true)
	p.Cleanup(site.Close)
	site.Put("DEMO-1", func(i *jiratest.Issue) { i.Status, i.Severity = "Waiting", "Sev 2" })
	p.theirs = func(title string) { site.Put("DEMO-1", func(i *jiratest.Issue) { i.Summary = title }) }
	p.Setenv("TASKER_TRACKER_URL", site.URL)
	p.Setenv("TASKER_TRACKER_USER", site.User)
	p.Setenv("TASKER_TRACKER_TOKEN", site.Token)
}
