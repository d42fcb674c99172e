package app_test

import (
	"context"
	"path/filepath"
	"testing"

	"tasker/internal/app"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/policy"
	"tasker/internal/task"
)

func TestWithoutConfigurationEverybodyIsAnAgentWithoutRoles(t *testing.T) {
	s := policy.Settings(nil)
	a, err := s.Actor("claude/3")
	if err != nil {
		t.Fatal(err)
	}
	if a.Full() != "claude/3" || a.Name != "claude" || a.Human || a.Declared || len(a.Roles) > 0 {
		t.Errorf("claude/3 is %+v", a)
	}
	p, err := s.Policy(&task.Project{Slug: "demo", Gates: map[string][]string{"ship": {"test"}}})
	if err != nil {
		t.Fatal(err)
	}
	if p.DeclaresHuman || *p.LeaseMs != task.DefaultLeaseMs || len(p.Gates["ship"]) != 1 {
		t.Errorf("the policy is %+v", p)
	}
}

func TestAReadMakesNoDatabase(t *testing.T) {
	db := filepath.Join(t.TempDir(), "deep", "tasker.db")
	a, err := app.Open(app.Options{DB: db, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	if all, err := a.Services.Reading.Projects(context.Background(), core.None{}); err != nil || len(all) != 0 {
		t.Errorf("projects are %v, %v", all, err)
	}
	if found, _ := filepath.Glob(filepath.Dir(db) + "*"); len(found) > 0 {
		t.Errorf("a read created %v", found)
	}
	if v, err := a.Services.Reading.Version(context.Background(), core.None{}); err != nil || v.Version != "1.2.3" || v.ConfigVersion != 1 {
		t.Errorf("version is %+v, %v", v, err)
	}
}

func TestEveryOperationIsServed(t *testing.T) {
	a, err := app.Open(app.Options{DB: filepath.Join(t.TempDir(), "tasker.db")})
	if err != nil {
		t.Fatal(err)
	}
	local := op.NewLocal(a.Services.All()...)
	for _, o := range op.Table {
		if !local.Serves(o) {
			t.Errorf("%s is in the table, and no service has it", o.Name)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
