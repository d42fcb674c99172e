package merge

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Sites is what a project declares about the systems that its tasks may be bound to.
type Sites struct {
	TrackerURL string   // empty: none is declared
	Projects   []string // prefixes of issue keys, or owner/name; empty: any
	HostURL    string
	Repos      []string // owner/name; empty: none
}

var (
	issueKey   = pattern(`^[A-Z][A-Z0-9_]{0,49}-[1-9][0-9]{0,17}$`)
	repoNumber = pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)#([1-9][0-9]{0,17})$`)
	repoBranch = pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)@([^\s~^:?*\[\\]+)$`)
	pullPath   = pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)/(pull|pulls|issues)/([1-9][0-9]{0,17})$`)
)

// pattern returns an expression that is compiled when it is first asked for, not at the start of every command.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// maxRef is how many characters a reference has.
const maxRef = 300

// Parse returns the binding that a reference names: the key of an issue, owner/name#12, owner/name@branch, or a URL of a
// declared site.
func (s Sites) Parse(ref string) (task.Binding, error) {
	if err := task.CheckText("the reference", ref, maxRef); err != nil {
		return task.Binding{}, err
	}
	if strings.Contains(ref, "://") {
		return s.parseURL(ref)
	}
	if issueKey().MatchString(ref) {
		return s.issue(ref)
	}
	if m := repoNumber().FindStringSubmatch(ref); m != nil {
		if slices.Contains(s.Projects, m[1]) {
			return task.Binding{System: IssueTracker, Kind: "issue", Ref: ref, URL: IssueURL(s.TrackerURL, ref)}, nil
		}
		return s.request(m[1], m[2])
	}
	if m := repoBranch().FindStringSubmatch(ref); m != nil {
		return s.repo(m[1], task.Binding{System: CodeHost, Kind: "branch", Ref: ref})
	}
	return task.Binding{}, fault.Bad("%s names nothing that a task can be bound to", words.Quoted(ref)).
		WithHint("an issue such as DEMO-12, a pull request such as owner/name#12, a branch such as owner/name@branch, or a URL of a declared site")
}

func (s Sites) parseURL(ref string) (task.Binding, error) {
	clean, _, _ := strings.Cut(strings.TrimSuffix(ref, "/"), "#")
	clean, _, _ = strings.Cut(clean, "?")
	if rest, ok := within(s.TrackerURL, clean); ok {
		if key := strings.TrimPrefix(rest, "browse/"); issueKey().MatchString(key) {
			return s.issue(key)
		}
		if m := pullPath().FindStringSubmatch(rest); m != nil && m[2] == "issues" && slices.Contains(s.Projects, m[1]) {
			return s.Parse(m[1] + "#" + m[3])
		}
	}
	if rest, ok := within(s.HostURL, clean); ok {
		if m := pullPath().FindStringSubmatch(rest); m != nil { // a number alone may be that of an issue: the address says what it is
			return s.request(m[1], m[3])
		}
	}
	e := fault.Bad("%s is not of a declared site", words.Quoted(words.Redacted(ref)))
	if s.TrackerURL == "" {
		return task.Binding{}, e.WithHint("declare integrations.issue_tracker.baseUrl, or name the issue by its key")
	}
	return task.Binding{}, e.WithHint("the declared site is %s", words.Redacted(s.TrackerURL))
}

func (s Sites) issue(key string) (task.Binding, error) {
	prefix, _, _ := strings.Cut(key, "-")
	if len(s.Projects) > 0 && !slices.Contains(s.Projects, prefix) {
		return task.Binding{}, fault.Decline("%s is not of a listed project", key).
			WithHint("integrations.issue_tracker.projects lists %s", words.List(s.Projects))
	}
	return task.Binding{System: IssueTracker, Kind: "issue", Ref: key, URL: IssueURL(s.TrackerURL, key)}, nil
}

func (s Sites) request(repo, number string) (task.Binding, error) {
	return s.repo(repo, task.Binding{System: CodeHost, Kind: "pull_request", Ref: repo + "#" + number, URL: below(s.HostURL, repo+"/pull/"+number)})
}

func (s Sites) repo(name string, b task.Binding) (task.Binding, error) {
	if !slices.Contains(s.Repos, name) {
		return task.Binding{}, fault.Decline("%s is not a listed repository", name).
			WithHint("add it to integrations.code_host.repos")
	}
	return b, nil
}

// IssueURL returns the address of an issue at a tracker.
func IssueURL(site, ref string) task.Opt {
	if m := repoNumber().FindStringSubmatch(ref); m != nil {
		return below(site, m[1]+"/issues/"+m[2])
	}
	return below(site, "browse/"+ref)
}

// PrefixOf returns what the records beside one have in common: the key of its project, or its repository.
func PrefixOf(ref string) string {
	if at := strings.IndexAny(ref, "#@"); at >= 0 {
		return ref[:at]
	}
	prefix, _, _ := strings.Cut(ref, "-")
	return prefix
}

func below(site, path string) task.Opt {
	if site == "" {
		return ""
	}
	return task.Opt(strings.TrimSuffix(site, "/") + "/" + path)
}

// within returns the path of a URL below a site.
func within(site, ref string) (string, bool) {
	if site == "" {
		return "", false
	}
	return strings.CutPrefix(ref, strings.TrimSuffix(site, "/")+"/")
}
