package kept

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// stand is a server with one actor, in whose tasks nothing changes.
type stand struct {
	tasks map[task.ID]*task.Task
	who   task.Actor
	notes []string
	err   error // of notes
	told  int
}

func newStand() *stand {
	s := &stand{who: task.Actor{Name: "bot"}, tasks: map[task.ID]*task.Task{}}
	for _, id := range []task.ID{"shop-1", "shop-2", "shop-10"} {
		s.tasks[id] = &task.Task{ID: id, Project: "shop", Title: "Pay", Status: task.Open}
	}
	return s
}

// records are those of a machine.
func (s *stand) records(dir, host, server string) *Records {
	return &Records{
		Files: Files{Dir: dir, Host: host, Server: server},
		Ask: func(_ context.Context, id task.ID, _ *int64) (workspace.Standing, error) {
			if s.tasks[id] == nil {
				return workspace.Standing{}, fault.Missing("there is no task %s", id)
			}
			return workspace.Standing{Task: s.tasks[id], Who: s.who, Now: 1000}, nil
		},
		Note: func(_ context.Context, _ task.ID, text string) error {
			s.notes = append(s.notes, text)
			return s.err
		},
		Tell: func(string, ...any) { s.told++ },
	}
}

func begin(t *testing.T, r *Records, id task.ID, ports ...int) workspace.View {
	t.Helper()
	v, err := r.Begin(t.Context(), workspace.BeginIn{Workspace: workspace.Workspace{
		Task: id, Host: r.Host, Root: "/repo", Path: "/repo/.worktrees/" + string(id), Strategy: workspace.Worktree, Ports: ports,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ids(t *testing.T, r *Records, q workspace.Query) string {
	t.Helper()
	list, err := r.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range list {
		out = append(out, string(v.Task))
	}
	return strings.Join(out, " ")
}

func TestRecordsAreOfOneMachineAndOneServer(t *testing.T) {
	t.Parallel()
	s, dir := newStand(), t.TempDir()
	here, there, other := s.records(dir, "here", "http://a"), s.records(dir, "there", "http://a"), s.records(dir, "here", "http://b")
	begin(t, here, "shop-10", 4001)
	begin(t, here, "shop-2", 4002)
	begin(t, there, "shop-1", 4001)
	begin(t, other, "shop-1", 4003)
	for _, c := range []struct {
		of   *Records
		q    workspace.Query
		want string
	}{
		{here, workspace.Query{Host: "here"}, "shop-2 shop-10"}, {here, workspace.Query{}, "shop-2 shop-10"},
		{here, workspace.Query{Task: "shop-2"}, "shop-2"}, {here, workspace.Query{Host: "there"}, ""},
		{here, workspace.Query{Project: "other"}, ""}, {there, workspace.Query{}, "shop-1"}, {other, workspace.Query{}, "shop-1"},
	} {
		if got := ids(t, c.of, c.q); got != c.want {
			t.Errorf("%s through %s lists %q for %+v, want %q", c.of.Host, c.of.Server, got, c.q, c.want)
		}
	}
	ports, err := here.Ports(t.Context(), workspace.PortsIn{Host: "here"})
	if err != nil || len(ports) != 3 || ports[4003] != "shop-1" {
		t.Errorf("the ports of this machine are %v, %v", ports, err)
	}
	_, err = here.Begin(t.Context(), workspace.BeginIn{Workspace: workspace.Workspace{Task: "shop-1", Host: "here", Root: "/", Path: "/x", Strategy: workspace.InPlace, Ports: []int{4003}}})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("a port was given twice: %v", err)
	}
	_, err = s.records("", "here", "http://a").Begin(t.Context(), workspace.BeginIn{Workspace: workspace.Workspace{Task: "shop-1", Host: "here"}})
	if err == nil || !strings.Contains(err.Error(), "this user has no home directory, so the record of a workspace has no place") {
		t.Errorf("without a directory: %v", err)
	}
	delete(s.tasks, "shop-2")
	if got := ids(t, here, workspace.Query{}); got != "shop-10" {
		t.Errorf("with a task that is gone the list is %q", got)
	}
}

func TestARecordFollowsTheRulesOfTheService(t *testing.T) {
	t.Parallel()
	s := newStand()
	r := s.records(t.TempDir(), "here", "http://a")
	ctx := t.Context()
	v := begin(t, r, "shop-1")
	if _, err := r.Begin(ctx, workspace.BeginIn{Workspace: *v.Record}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second one was begun: %v", err)
	}
	opened := *v.Record
	opened.State = workspace.Open
	if _, err := r.Save(ctx, workspace.Made{Workspace: opened, From: workspace.Open}); !fault.Is(err, fault.Conflict) {
		t.Errorf("saved from a state that it is not in: %v", err)
	}
	if _, err := r.Save(ctx, workspace.Made{Workspace: opened, From: workspace.Opening, Opened: true, Step: &workspace.Step{Name: "deps"}, Phase: "setup"}); err != nil {
		t.Fatal(err)
	}
	s.tasks["shop-1"].Claim = &task.Claim{Task: "shop-1", Actor: "other", Fence: 7}
	s.tasks["shop-1"].Fence = 7
	if _, err := r.Use(ctx, workspace.UseIn{Task: "shop-1", To: workspace.ToExec}); !fault.Is(err, fault.Declined) {
		t.Errorf("used what another holds: %v", err)
	}
	if _, err := r.Drop(ctx, workspace.DropIn{Task: "shop-1", Host: "here", Kind: task.WorkspaceClosed}); !fault.Is(err, fault.Declined) {
		t.Errorf("dropped what another holds: %v", err)
	}
	s.tasks["shop-1"].Claim = nil
	s.err = errors.New("the server is gone")
	if _, err := r.Drop(ctx, workspace.DropIn{Task: "shop-1", Host: "here", Kind: task.WorkspaceClosed, Removed: true}); err != nil {
		t.Errorf("a note that the server did not take kept a record: %v", err)
	}
	want := "on here: ran the step deps of its setup\non here: opened a workspace in /repo/.worktrees/shop-1\non here: closed its workspace"
	if got := strings.Join(s.notes, "\n"); got != want || s.told != 1 {
		t.Errorf("the notes are\n%s\nand %d were told, want\n%s", got, s.told, want)
	}
	if got := ids(t, r, workspace.Query{}); got != "" {
		t.Errorf("after it is closed the list is %q", got)
	}
}

// A record that somebody else wrote is refused by its name, and never followed.
func TestARecordThatDoesNotHoldTogetherIsRefused(t *testing.T) {
	t.Parallel()
	s := newStand()
	r := s.records(t.TempDir(), "here", "http://a")
	begin(t, r, "shop-1", 4000)
	path := r.path(r.entry(workspace.Workspace{Task: "shop-1", Host: "here", Root: "/repo"}))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info.Mode(), err)
	}
	replaced := func(old, with string) func() error {
		return func() error {
			if !strings.Contains(string(whole), old) {
				t.Fatalf("%s is not in %s", old, whole)
			}
			return os.WriteFile(path, []byte(strings.Replace(string(whole), old, with, 1)), 0o600)
		}
	}
	for name, spoil := range map[string]func() error{
		"no JSON":             func() error { return os.WriteFile(path, []byte("{"), 0o600) },
		"a large file":        func() error { return os.Truncate(path, maxFile+1) },
		"a directory":         func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"another machine":     replaced(`"host":"here"`, `"host":"there"`),
		"no state":            replaced(`"state":"opening"`, `"state":"abandoned"`),
		"a relative path":     replaced(`"path":"/repo/.worktrees/shop-1"`, `"path":"../x"`),
		"a path with dots":    replaced(`"path":"/repo/.worktrees/shop-1"`, `"path":"/repo/../x"`),
		"another repository":  replaced(`"root":"/repo"`, `"root":"/other"`),
		"another task":        replaced(`"task":"shop-1"`, `"task":"shop-2"`),
		"no task":             replaced(`"task":"shop-1"`, `"task":"../x"`),
		"a member of its own": replaced(`"task":"shop-1"`, `"task":"shop-1","more":1`),
		"a port that is none": replaced(`4000`, `400000`),
		"a file outside":      replaced(`"ports"`, `"files":["../x"],"ports"`),
	} {
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, whole, 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.List(t.Context(), workspace.Query{}); !fault.Is(err, fault.Declined) || !strings.Contains(err.Error(), "the record of a workspace in "+path+" cannot be read: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, whole, 0o600), os.WriteFile(filepath.Join(filepath.Dir(path), ".tasker-record-17"), []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, r, workspace.Query{}); got != "shop-1" {
		t.Errorf("with what a crash left the list is %q", got)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		t.Error(err)
	}
}
