// Package forgetest is a stand-in for a code host: it speaks the protocol of GitHub or of Gitea over HTTP, and misbehaves
// on purpose if told to. It has its own clock.
package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"tasker/internal/testkit/fakesite"
	"time"
)

// Pull is a pull request of the site.
type Pull struct {
	Number   int64
	Title    string
	Body     string
	Branch   string
	From     string // owner/name of the repository of its branch; empty: its own repository
	State    string // open or closed
	Merged   bool
	Commit   string // the merge commit
	Head     string
	Messages []string // of its commits
	Updated  time.Time
}

// Issue is an issue of the site.
type Issue struct {
	Number    int64
	Title     string
	Body      string
	State     string // open or closed
	Reason    string
	Milestone string
	Due       string // only on Gitea
	Updated   time.Time
}

// Repo is a repository of the site.
type Repo struct {
	Pulls    map[int64]*Pull
	Issues   map[int64]*Issue
	Branches map[string]bool
	Checks   map[string][]string // by commit: success, failure, pending
}

// Site is a stand-in. It counts requests as pulls, pull, commits, checks, branch, issues, issue and write.
type Site struct {
	*httptest.Server
	fakesite.Site
	Gitea     bool
	Token     string
	LeavesOut []string // fields of issues that answers leave out

	repos map[string]*Repo
}

// New starts a site.
func New(gitea bool) *Site {
	s := &Site{Site: fakesite.New(), Gitea: gitea, Token: "secret-token", repos: map[string]*Repo{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

func (s *Site) repo(name string) *Repo {
	if s.repos[name] == nil {
		s.repos[name] = &Repo{Pulls: map[int64]*Pull{}, Issues: map[int64]*Issue{}, Branches: map[string]bool{}, Checks: map[string][]string{}}
	}
	return s.repos[name]
}

// Pull creates or changes a pull request, like a user of the site.
func (s *Site) Pull(repo string, number int64, change func(*Pull)) {
	s.Lock()
	defer s.Unlock()
	r := s.repo(repo)
	p := r.Pulls[number]
	if p == nil {
		p = &Pull{Number: number, Title: fmt.Sprint("Request ", number), Branch: fmt.Sprint("work-", number), State: "open", Head: fmt.Sprintf("%040d", number)}
		r.Pulls[number] = p
	}
	change(p)
	if p.Merged {
		p.State = "closed"
		if p.Commit == "" {
			p.Commit = fmt.Sprintf("%039da", number)
		}
	}
	p.Updated = s.Tick()
}

// Issue creates or changes an issue.
func (s *Site) Issue(repo string, number int64, change func(*Issue)) {
	s.Lock()
	defer s.Unlock()
	r := s.repo(repo)
	i := r.Issues[number]
	if i == nil {
		i = &Issue{Number: number, Title: fmt.Sprint("Issue ", number), State: "open"}
		r.Issues[number] = i
	}
	change(i)
	i.Updated = s.Tick()
}

// Get returns the current state of an issue.
func (s *Site) Get(repo string, number int64) Issue {
	s.Lock()
	defer s.Unlock()
	if i := s.repo(repo).Issues[number]; i != nil {
		return *i
	}
	return Issue{}
}

// Branch creates a branch, or removes it.
func (s *Site) Branch(repo, name string, there bool) {
	s.Lock()
	defer s.Unlock()
	s.repo(repo).Branches[name] = there
}

// Check reports the checks of a commit: success, failure or pending.
func (s *Site) Check(repo, commit string, states ...string) {
	s.Lock()
	defer s.Unlock()
	s.repo(repo).Checks[commit] = states
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	w.Header().Set("Date", s.Now.UTC().Format(http.TimeFormat))
	if r.Header.Get("Authorization") != "token "+s.Token && !strings.HasSuffix(r.URL.Path, "/api/v1/version") {
		fail(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	limited := func(side int) bool {
		if side == 3 { // how GitHub reports its limit
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(s.Now.Unix()+2, 10))
			fail(w, http.StatusForbidden, "API rate limit exceeded")
		}
		return side == 3
	}
	if s.Fails(w, 14, half, fail, limited) {
		return
	}
	s.route(w, r)
}

func (s *Site) route(w http.ResponseWriter, r *http.Request) {
	prefix := "/api/v3"
	if s.Gitea {
		prefix = "/api/v1"
	}
	path, ok := strings.CutPrefix(r.URL.Path, prefix)
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 5)
	switch {
	case ok && s.Gitea && path == "/version":
		answer(w, map[string]any{"version": "1.24.0"})
		return
	case !ok || len(parts) < 3 || parts[0] != "repos" || s.repos[parts[1]+"/"+parts[2]] == nil:
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	name := parts[1] + "/" + parts[2]
	parts = append(parts, "", "")
	s.inRepo(w, r, name, parts[3], parts[4])
}

func (s *Site) inRepo(w http.ResponseWriter, r *http.Request, name, kind, rest string) {
	repo := s.repos[name]
	first, last, _ := strings.Cut(rest, "/")
	number, _ := strconv.ParseInt(first, 10, 64)
	switch {
	case kind == "":
		answer(w, map[string]any{"full_name": name})
	case kind == "pulls" && rest == "":
		s.Count("pulls")
		s.pulls(w, r, name)
	case kind == "pulls" && repo.Pulls[number] != nil && last == "":
		s.Count("pull")
		answer(w, s.shown(name, repo.Pulls[number]))
	case kind == "pulls" && repo.Pulls[number] != nil && last == "commits":
		s.Count("commits")
		var list []any
		for _, m := range repo.Pulls[number].Messages {
			list = append(list, map[string]any{"sha": "c", "commit": map[string]any{"message": m}})
		}
		s.page(w, r, list)
	case kind == "commits" && last == "status":
		s.Count("checks")
		s.status(w, repo.Checks[first])
	case kind == "commits" && last == "check-runs" && !s.Gitea:
		answer(w, map[string]any{"total_count": 1, "check_runs": []any{map[string]any{"status": "completed", "conclusion": "skipped"}}})
	case kind == "branches" && repo.Branches[rest]:
		s.Count("branch")
		answer(w, map[string]any{"name": rest})
	case kind == "issues" && rest == "":
		s.Count("issues")
		s.issues(w, r, name)
	case kind == "issues" && repo.Issues[number] != nil && r.Method == http.MethodGet:
		s.Count("issue")
		answer(w, s.shownIssue(repo.Issues[number]))
	case kind == "issues" && repo.Issues[number] != nil && r.Method == http.MethodPatch:
		s.Count("write")
		s.change(w, r, repo.Issues[number])
	default:
		fail(w, http.StatusNotFound, "Not Found")
	}
}

func (s *Site) status(w http.ResponseWriter, states []string) {
	var list []any
	for _, st := range states {
		key := "state"
		if s.Gitea {
			key = "status"
		}
		list = append(list, map[string]any{key: st})
	}
	answer(w, map[string]any{"state": "whatever", "total_count": len(list), "statuses": list})
}

// pulls answers a page of pull requests, most recently changed first.
func (s *Site) pulls(w http.ResponseWriter, r *http.Request, name string) {
	all := make([]*Pull, 0, len(s.repos[name].Pulls))
	for _, p := range s.repos[name].Pulls {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Pull) int { return b.Updated.Compare(a.Updated) })
	list := make([]any, 0, len(all))
	for _, p := range all {
		list = append(list, s.shown(name, p))
	}
	s.page(w, r, list)
}

// issues answers a page of issues; on GitHub, these include pull requests.
func (s *Site) issues(w http.ResponseWriter, r *http.Request, name string) {
	since, _ := time.Parse(time.RFC3339, r.URL.Query().Get("since"))
	var all []*Issue
	for _, i := range s.repos[name].Issues {
		if !i.Updated.Before(since) {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b *Issue) int { return int(a.Number - b.Number) })
	var list []any
	for _, i := range all {
		list = append(list, s.shownIssue(i))
	}
	if !s.Gitea {
		list = append(list, map[string]any{"number": 99999, "state": "open", "updated_at": stamp(s.Now), "pull_request": map[string]any{"url": "x"}})
	}
	s.page(w, r, list)
}

// page answers one page of a list, with the header that links to the next.
func (s *Site) page(w http.ResponseWriter, r *http.Request, list []any) {
	size := 30
	for _, name := range []string{"per_page", "limit"} {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n > 0 {
			size = n
		}
	}
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	from := min(max(0, number-1)*size, len(list))
	to := min(from+size, len(list))
	out := slices.Clone(list[from:to])
	if s.Dice != nil && len(out) > 0 { // out of order, and one item twice
		s.Dice.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
		out = append(out, out[s.Dice.IntN(len(out))])
	}
	if to < len(list) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next", <%s/x>; rel="last"`, s.URL, r.URL.Path, number+1, s.URL))
	}
	if out == nil {
		out = []any{}
	}
	answer(w, out)
}

func (s *Site) shown(name string, p *Pull) map[string]any {
	from := any(map[string]any{"full_name": name})
	switch p.From {
	case "":
	case "gone":
		from = nil
	default:
		from = map[string]any{"full_name": p.From}
	}
	out := map[string]any{
		"number": p.Number, "title": p.Title, "body": p.Body, "state": p.State, "html_url": fmt.Sprintf("%s/%s/pull/%d", s.URL, name, p.Number),
		"updated_at": stamp(p.Updated), "merged_at": nil, "merge_commit_sha": "0test",
		"head": map[string]any{"ref": p.Branch, "sha": p.Head, "repo": from},
		"base": map[string]any{"ref": "main", "sha": "base", "repo": map[string]any{"full_name": name}},
	}
	if p.Merged {
		out["merged_at"], out["merge_commit_sha"] = stamp(p.Updated), p.Commit
	}
	return out
}

func (s *Site) shownIssue(i *Issue) map[string]any {
	out := map[string]any{
		"number": i.Number, "title": i.Title, "body": i.Body, "state": i.State, "state_reason": nil, "updated_at": stamp(i.Updated),
		"milestone": nil, "due_date": nil,
	}
	if i.Reason != "" {
		out["state_reason"] = i.Reason
	}
	if i.Milestone != "" {
		out["milestone"] = map[string]any{"title": i.Milestone}
	}
	if i.Due != "" {
		out["due_date"] = i.Due
	}
	for _, name := range s.LeavesOut {
		delete(out, name)
	}
	return out
}

func (s *Site) change(w http.ResponseWriter, r *http.Request, i *Issue) {
	var in map[string]any
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		fail(w, http.StatusBadRequest, "what?")
		return
	}
	for name, into := range map[string]*string{"title": &i.Title, "body": &i.Body, "state": &i.State, "state_reason": &i.Reason} {
		if text, ok := in[name].(string); ok {
			*into = text
		}
	}
	i.Updated = s.Tick()
	if !s.LosesTheAnswer(w, half) {
		answer(w, s.shownIssue(i))
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	answer(w, map[string]any{"message": message})
}

// half is the beginning of an answer.
const half = `[{"number": 1, "title": "hal`
