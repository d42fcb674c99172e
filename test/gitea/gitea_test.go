//go:build gitea

package gitea

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tasker/test/program"
)

// code is the repository that the configuration lists.
const code = "own/code"

var tasker string

func TestMain(m *testing.M) { os.Exit(program.Main(m, func(path string) { tasker = path })) }

// project is a directory in which tasker works with the site.
type project struct {
	*site
	dir string
	env []string
}

func (s *site) project(integrations string) *project {
	s.Helper()
	dir := s.TempDir()
	s.must(os.WriteFile(filepath.Join(dir, ".tasker.json"), fmt.Appendf(nil,
		`{"version": 1, "project": "demo", "gates": {"tested": ["checks"]}, "integrations": %s}`, integrations), 0o600))
	p := &project{site: s, dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TASKER_DB=" + filepath.Join(dir, "tasker.db"), "TASKER_ACTOR=ann",
		"TASKER_CODE_HOST_URL=" + s.url, "TASKER_CODE_HOST_TOKEN=" + s.token, "TASKER_CODE_HOST_SECRET=a-secret-of-hooks",
	}}
	run[any](p, "project", "create", "demo")
	return p
}

func (p *project) command(args ...string) *exec.Cmd {
	cmd := exec.Command(tasker, append(args, "--json")...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// run runs a command that must succeed, and decodes what it prints.
func run[T any](p *project, args ...string) (out T) {
	p.Helper()
	cmd := p.command(args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil {
		p.Fatalf("tasker %s: %v: %s%s", strings.Join(args, " "), err, text, errs.String())
	}
	if err := json.Unmarshal(text, &out); err != nil {
		p.Fatalf("tasker %s: %v: %s", strings.Join(args, " "), err, text)
	}
	return out
}

type shown struct {
	Task struct {
		Title, Body, Status string
		Due                 string
	}
	Bindings []struct{ Kind, Ref, State string }
	Evidence []struct{ Kind, Value string }
}

func (p *project) show(id string) shown { p.Helper(); return run[shown](p, "show", id) }

func (s shown) kinds() (out []string) {
	for _, e := range s.Evidence {
		out = append(out, e.Kind)
	}
	slices.Sort(out)
	return out
}

func (s shown) bound() (out []string) {
	for _, b := range s.Bindings {
		out = append(out, b.Ref+" "+b.State)
	}
	slices.Sort(out)
	return out
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestTaskerAndARealGiteaUnderstandOneAnother(t *testing.T) {
	s := start(t)
	s.do(http.MethodPost, "/user/repos", map[string]any{"name": "code", "auto_init": true, "default_branch": "main"})
	stranger := s.user("stranger")
	s.as(stranger, http.MethodPost, "/repos/"+code+"/forks", map[string]any{})
	t.Run("requests", func(t *testing.T) { s.on(t).requests(stranger) })
	t.Run("issues", func(t *testing.T) { s.on(t).issues() })
	t.Run("hooks", func(t *testing.T) { s.on(t).hooks() })
	t.Run("pages", func(t *testing.T) { s.on(t).pages() })
}

func (s *site) on(t *testing.T) *site {
	out := *s
	out.T = t
	return &out
}

// requests are bound by branch and by trailer, and a merge is evidence; what a fork says about its checks is not.
func (s *site) requests(stranger string) {
	p := s.project(`{"code_host": {"repos": ["own/code"], "autoCloseOnMerge": true, "branchPrefix": "tasker/"}}`)
	for _, title := range []string{"By branch", "By trailer", "By a fork", "Still open", "Closed there"} {
		run[any](p, "add", title)
	}
	run[any](p, "edit", "demo-1", "--gate", "tested")
	first, commit := s.propose(s.token, code, "tasker/demo-1-by-branch", "Do it", "Do it")
	s.checked(commit, "success")
	second, commit := s.propose(s.token, code, "else", "Do another\n\nTask: demo-2", "Do another")
	s.checked(commit, "failure")
	third, commit := s.propose(stranger, "stranger/code", "tasker/demo-3-by-a-fork", "Do a third\n\nTask: demo-3", "Do a third")
	s.checked(commit, "success")
	fourth, _ := s.propose(s.token, code, "tasker/demo-4", "Do a fourth", "Do a fourth")
	fifth, _ := s.propose(s.token, code, "tasker/demo-5", "Do a fifth", "Do a fifth")
	run[any](p, "sync", "pull")
	same(s.T, "an open request is bound", p.show("demo-1").bound(), []string{fmt.Sprintf("own/code#%d open", first)})
	for _, n := range []int{first, second, third} {
		s.merge(n)
	}
	s.do(http.MethodPatch, fmt.Sprintf("/repos/%s/pulls/%d", code, fifth), map[string]any{"state": "closed"})
	run[any](p, "sync", "pull")
	for id, want := range map[string]struct {
		status   string
		evidence []string
		bound    []string
	}{
		"demo-1": {"done", []string{"checks", "commit", "pull_request"}, []string{fmt.Sprintf("own/code#%d merged", first)}},
		"demo-2": {"done", []string{"commit", "pull_request"}, []string{fmt.Sprintf("own/code#%d merged", second)}},
		"demo-3": {"done", []string{"commit", "pull_request"}, []string{fmt.Sprintf("own/code#%d merged", third)}},
		"demo-4": {"open", nil, []string{fmt.Sprintf("own/code#%d open", fourth)}},
		"demo-5": {"open", nil, []string{fmt.Sprintf("own/code#%d closed", fifth)}},
	} {
		got := p.show(id)
		same(s.T, id+" is", got.Task.Status, want.status)
		same(s.T, id+" is shown by", got.kinds(), want.evidence)
		same(s.T, id+" is bound to", got.bound(), want.bound)
	}
	before := p.events()
	run[any](p, "sync", "pull")
	same(s.T, "events after a pull of nothing", p.events(), before)
}

// events returns the number of the newest event.
func (p *project) events() int64 {
	p.Helper()
	return run[[]struct{ ID int64 }](p, "events", "--limit", "1")[0].ID
}

// issues travel both ways.
func (s *site) issues() {
	s.do(http.MethodPost, "/user/repos", map[string]any{"name": "talk", "auto_init": true, "default_branch": "main"})
	made := s.do(http.MethodPost, "/repos/own/talk/issues", map[string]any{"title": "Leaks", "body": "It drips.", "due_date": "2031-05-06T00:00:00Z"})
	path := fmt.Sprintf("/repos/own/talk/issues/%v", made["number"])
	p := s.project(fmt.Sprintf(`{"issue_tracker": {"baseUrl": %q, "projects": ["own/talk"]}}`, s.url))
	run[any](p, "import", "tracker")
	got := p.show("demo-1")
	same(s.T, "title, body and date come", []string{got.Task.Title, got.Task.Body, got.Task.Due}, []string{"Leaks", "It drips.", "2031-05-06"})

	s.do(http.MethodPatch, path, map[string]any{"title": "Leaks a lot"})
	run[any](p, "sync", "pull")
	same(s.T, "a change comes", p.show("demo-1").Task.Title, "Leaks a lot")

	run[any](p, "done", "demo-1")
	same(s.T, "nothing is sent by itself", s.do(http.MethodGet, path, nil)["state"], "open")
	run[any](p, "sync", "push")
	same(s.T, "a close goes", s.do(http.MethodGet, path, nil)["state"], "closed")

	before := p.events()
	run[any](p, "sync", "pull")
	same(s.T, "the echo of our own write changes nothing", p.events(), before)
}

// hooks of Gitea are signed as the server expects.
func (s *site) hooks() {
	p := s.project(`{"code_host": {"repos": ["own/code"], "branchPrefix": "tasker/"}}`)
	run[any](p, "add", "Told of at once", "--key", "told")
	run[any](p, "bind", "demo-1", "own/code@told")
	server := exec.Command(tasker, "serve", "--port", "0", "--json")
	server.Dir, server.Env = p.dir, p.env
	out, err := server.StdoutPipe()
	s.must(err)
	s.must(server.Start())
	s.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	var serving struct{ URL string }
	s.must(json.NewDecoder(out).Decode(&serving))
	s.do(http.MethodPost, "/repos/"+code+"/hooks", map[string]any{
		"type": "gitea", "active": true, "events": []string{"pull_request"},
		"config": map[string]any{"url": serving.URL + "/hooks/code_host", "content_type": "json", "secret": "a-secret-of-hooks"},
	})
	number, _ := s.propose(s.token, code, "told", "Tell", "Tell")
	want := fmt.Sprintf("own/code#%d open", number)
	s.until("the request is bound by the hook", func() bool { return slices.Contains(p.show("demo-1").bound(), want) })
}

// pages: more requests than Gitea gives at once are all read.
func (s *site) pages() {
	p := s.project(`{"code_host": {"repos": ["own/code"], "branchPrefix": "tasker/"}}`)
	run[any](p, "add", "Often", "--key", "often")
	const many = 60
	for n := range many {
		s.propose(s.token, code, fmt.Sprintf("tasker/demo-1-%d", n), "One of many", "One of many")
	}
	run[any](p, "sync", "pull")
	count := 0
	for _, b := range p.show("demo-1").Bindings {
		if b.State == "open" {
			count++
		}
	}
	if count < many {
		s.Errorf("%d of %d requests were read", count, many)
	}
}
