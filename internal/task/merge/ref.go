package merge

import (
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Names says how the systems that a task can be bound to name their records. Each system's package
// defines its own.
type Names struct {
	Tracker  Naming // issues of a tracker
	Issues   Naming // issues of a code host
	Requests Naming // pull requests of a code host; an issue there may have the same name
	Branches Naming // of a code host; they have no web address
}

// Naming says how a system names one kind of record.
type Naming struct {
	Example string // for people
	// Group returns the project or the repository of the record that a reference names.
	Group func(ref string) (group string, ok bool)
	// Path returns the path of a record below the address of its site, and At the record at a path.
	Path func(ref string) string
	At   func(path string) (ref string, ok bool)
}

// Group returns the project or the repository of a record, or the reference itself if no system
// uses that form.
func (n Names) Group(ref string) string {
	for _, kind := range []Naming{n.Tracker, n.Requests, n.Branches} {
		if group, ok := kind.Group(ref); ok {
			return group
		}
	}
	return ref
}

// IssueURL returns the address of an issue at a tracker, which may be a code host.
func (n Names) IssueURL(site, ref string) task.Opt {
	if _, ok := n.Issues.Group(ref); ok {
		return below(site, n.Issues.Path(ref))
	}
	return below(site, n.Tracker.Path(ref))
}

// Sites is what a project declares about the systems that its tasks may be bound to.
type Sites struct {
	Names      Names
	TrackerURL string   // empty: none declared
	Projects   []string // keys of projects, or owner/name; empty: any
	HostURL    string
	Repos      []string // owner/name; empty: none
}

// maxRef is how many characters a reference may have.
const maxRef = 300

// Parse returns the binding that a reference names: an issue, a pull request, a branch, or a URL of
// a declared site.
func (s Sites) Parse(ref string) (task.Binding, error) {
	if err := task.CheckText("the reference", ref, maxRef); err != nil {
		return task.Binding{}, err
	}
	if strings.Contains(ref, "://") {
		return s.parseURL(ref)
	}
	n := s.Names
	if project, ok := n.Tracker.Group(ref); ok {
		return s.issue(project, ref)
	}
	if repo, ok := n.Issues.Group(ref); ok && slices.Contains(s.Projects, repo) {
		return s.issue(repo, ref)
	}
	if _, ok := n.Requests.Group(ref); ok {
		return s.request(ref)
	}
	if repo, ok := n.Branches.Group(ref); ok {
		return s.repo(repo, task.Binding{System: CodeHost, Kind: "branch", Ref: ref})
	}
	return task.Binding{}, fault.Bad("%s names nothing that a task can be bound to", words.Quoted(ref)).
		WithHint("%s, %s, %s, or a URL of a declared site", n.Tracker.Example, n.Requests.Example, n.Branches.Example)
}

func (s Sites) parseURL(ref string) (task.Binding, error) {
	clean, _, _ := strings.Cut(strings.TrimSuffix(ref, "/"), "#")
	clean, _, _ = strings.Cut(clean, "?")
	if rest, ok := within(s.TrackerURL, clean); ok {
		if key, ok := s.Names.Tracker.At(rest); ok {
			return s.Parse(key)
		}
		if issue, ok := s.Names.Issues.At(rest); ok && slices.Contains(s.Projects, s.Names.Group(issue)) {
			return s.Parse(issue)
		}
	}
	if rest, ok := within(s.HostURL, clean); ok {
		if request, ok := s.Names.Requests.At(rest); ok {
			return s.request(request)
		}
	}
	e := fault.Bad("%s is not on a declared site", words.Quoted(words.Redacted(ref)))
	if s.TrackerURL == "" {
		return task.Binding{}, e.WithHint("declare integrations.issue_tracker.baseUrl, or name the issue by its key")
	}
	return task.Binding{}, e.WithHint("the declared site is %s", words.Redacted(s.TrackerURL))
}

func (s Sites) issue(project, ref string) (task.Binding, error) {
	if len(s.Projects) > 0 && !slices.Contains(s.Projects, project) {
		return task.Binding{}, fault.Decline("%s is not in a listed project", ref).
			WithHint("integrations.issue_tracker.projects lists %s", words.List(s.Projects))
	}
	return task.Binding{System: IssueTracker, Kind: "issue", Ref: ref, URL: s.Names.IssueURL(s.TrackerURL, ref)}, nil
}

func (s Sites) request(ref string) (task.Binding, error) {
	return s.repo(s.Names.Group(ref), task.Binding{System: CodeHost, Kind: "pull_request", Ref: ref, URL: below(s.HostURL, s.Names.Requests.Path(ref))})
}

func (s Sites) repo(name string, b task.Binding) (task.Binding, error) {
	if !slices.Contains(s.Repos, name) {
		return task.Binding{}, fault.Decline("%s is not a listed repository", name).
			WithHint("add it to integrations.code_host.repos")
	}
	return b, nil
}

func below(site, path string) task.Opt {
	return task.Opt(words.When(site != "", strings.TrimSuffix(site, "/")+"/"+path))
}

// within returns the path of a URL below a site.
func within(site, ref string) (string, bool) {
	if site == "" {
		return "", false
	}
	return strings.CutPrefix(ref, strings.TrimSuffix(site, "/")+"/")
}
