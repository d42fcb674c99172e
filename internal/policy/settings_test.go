package policy_test

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/policy"
	"tasker/internal/task"
)

// oneFile is a file system with a single configuration file.
type oneFile struct{ files fstest.MapFS }

func (o oneFile) Stat(name string) (fs.FileInfo, error) { return o.files.Stat(name[1:]) }
func (o oneFile) ReadFile(name string) ([]byte, error)  { return o.files.ReadFile(name[1:]) }
func declared(t *testing.T, text string) core.Settings {
	t.Helper()
	loaded, err := config.Load(config.Options{Dir: "/repo", Now: time.Now, Files: oneFile{fstest.MapFS{"repo/.tasker.json": {Data: []byte(text)}}}})
	if err != nil {
		t.Fatal(err)
	}
	return policy.Settings(func() *config.Loaded { return loaded })
}

const file = `{"version": 1, "project": "demo",
	"actors": [{"name": "ann", "kind": "human", "roles": ["lead"]}, {"name": "claude", "kind": "agent", "capabilities": ["go"], "autonomy": "supervised"}],
	"execution": {"defaultAutonomy": "supervised", "preferredActor": "claude", "mayExecute": ["go"],
		"requireApproval": [{"role": "lead", "reason": "why"}], "reviewPolicy": {"ship": [{"actor": "ann", "kind": "verification"}]}},
	"integrations": {"selection": ["priority", "age"]}, "gates": {"ship": ["test"]},
	"agentDefaults": {"lease": "30m", "requireNoteOnDone": true}}`

func TestTheFileDecidesThePolicyOfItsProject(t *testing.T) {
	s := declared(t, file)
	got, err := s.Policy(&task.Project{Slug: "demo", Gates: map[string][]string{"deploy": {"log"}}})
	if err != nil {
		t.Fatal(err)
	}
	lease := int64(30 * 60 * 1000)
	want := task.Policy{
		DefaultAutonomy: task.Supervised, PreferredActor: "claude", MayExecute: []string{"go"},
		RequireApproval:   []task.Requirement{{Role: "lead", Kind: "approval", Reason: "why"}},
		ReviewPolicy:      map[string][]task.Requirement{"ship": {{Actor: "ann", Kind: "verification"}}},
		Gates:             map[string][]string{"ship": {"test"}, "deploy": {"log"}},
		Selection:         []task.SelectKey{task.ByPriority, task.ByAge},
		LeaseMs:           &lease,
		RequireNoteOnDone: true, Humans: []task.Actor{{Name: "ann", Human: true, Roles: []string{"lead"}, Capabilities: []string{}, Declared: true}},
		DeclaresHuman: true,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestOfAnotherProjectOnlyWhatDescribesTheProcessCounts(t *testing.T) {
	s := declared(t, file)
	got, err := s.Policy(&task.Project{Slug: "other", Settings: []byte(`{"execution": {"mayExecute": ["dev"]}}`)})
	if err != nil {
		t.Fatal(err)
	}
	if *got.LeaseMs != 30*60*1000 || !got.RequireNoteOnDone || !got.DeclaresHuman {
		t.Errorf("settings of the process do not apply: %+v", got)
	}
	if len(got.Gates) > 0 || len(got.RequireApproval) > 0 || got.DefaultAutonomy != task.Autonomous {
		t.Errorf("settings of demo apply to other: %+v", got)
	}
	if d := cmp.Diff([]string{"dev"}, got.MayExecute); d != "" {
		t.Error(d)
	}
}

func TestActorsAreCompletedByTheirDeclaration(t *testing.T) {
	s := declared(t, file)
	for name, want := range map[string]task.Actor{
		"ann":      {Name: "ann", Human: true, Declared: true, Roles: []string{"lead"}, Capabilities: []string{}},
		"claude/3": {Name: "claude", Instance: "3", Declared: true, Roles: []string{}, Capabilities: []string{"go"}, Ceiling: task.Supervised},
		"stranger": {Name: "stranger"},
	} {
		got, err := s.Actor(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if _, err := s.Actor("a/b/c"); err == nil {
		t.Error("a/b/c was accepted as the name of an actor")
	}
}

func TestTheDatabaseDeclaresActorsWhereNoFileDoes(t *testing.T) {
	s := policy.Settings(nil)
	p := &task.Project{Slug: "demo", Settings: []byte(`{"actors": [{"name": "bob", "kind": "human"}]}`)}
	bob, err := s.Actor("bob/2")
	if err != nil || bob.Human {
		t.Fatalf("bob is %+v, %v", bob, err)
	}
	if bob, err = s.ActorIn(p, bob); err != nil || !bob.Human || bob.Instance != "2" {
		t.Errorf("in the project, bob is %+v, %v", bob, err)
	}
	if pol, err := s.Policy(p); err != nil || !pol.DeclaresHuman {
		t.Errorf("the policy is %+v, %v", pol, err)
	}
	if bob, err = s.ActorIn(&task.Project{Slug: "other"}, bob); err != nil || bob.Human {
		t.Errorf("in another project, bob is %+v, %v", bob, err)
	}
}
