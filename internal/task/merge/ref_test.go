package merge_test

import (
	"testing"

	"tasker/internal/sync/forge"
	"tasker/internal/sync/jira"
	"tasker/internal/task/merge"
)

var names = merge.Names{Tracker: jira.Names, Issues: forge.IssueNames, Requests: forge.RequestNames, Branches: forge.BranchNames}

func TestReferences(t *testing.T) {
	t.Parallel()
	s := merge.Sites{Names: names, TrackerURL: "https://jira.test/", Projects: []string{"DEMO", "own/tracked"}, HostURL: "https://git.test", Repos: []string{"own/code"}}
	for ref, want := range map[string]string{
		"DEMO-12":                                "issue_tracker issue DEMO-12 https://jira.test/browse/DEMO-12",
		"https://jira.test/browse/DEMO-7?x=1":    "issue_tracker issue DEMO-7 https://jira.test/browse/DEMO-7",
		"https://jira.test/own/tracked/issues/3": "issue_tracker issue own/tracked#3 https://jira.test/own/tracked/issues/3",
		"own/tracked#3":                          "issue_tracker issue own/tracked#3 https://jira.test/own/tracked/issues/3",
		"own/code#4":                             "code_host pull_request own/code#4 https://git.test/own/code/pull/4",
		"https://git.test/own/code/pull/4":       "code_host pull_request own/code#4 https://git.test/own/code/pull/4",
		"https://git.test/own/code/issues/4":     "code_host pull_request own/code#4 https://git.test/own/code/pull/4",
		"own/code@feature/x":                     "code_host branch own/code@feature/x ",
		"OTHER-1":                                "",
		"demo-1":                                 "",
		"elsewhere/code#1":                       "",
		"https://evil.test/browse/DEMO-1":        "",
		"https://jira.test.evil/browse/DEMO-1":   "",
		"":                                       "",
		"x":                                      "",
	} {
		b, err := s.Parse(ref)
		got := ""
		if err == nil {
			got = b.System + " " + b.Kind + " " + b.Ref + " " + string(b.URL)
		}
		if got != want {
			t.Errorf("%q is %q, not %q (%v)", ref, got, want, err)
		}
	}
}

func TestTheGroupOfAReference(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"DEMO-12": "DEMO", "own/code#4": "own/code", "own/code@fix#12-b": "own/code", "else": "else",
	} {
		if got := names.Group(ref); got != want {
			t.Errorf("%q is of %q, not %q", ref, got, want)
		}
	}
}
