package coretest

import (
	"io/fs"
	"maps"
	"sync"
	"testing/fstest"

	"tasker/internal/config"
	"tasker/internal/task"
)

// given answers the core from what the test put into its kit.
type given struct{ k *Kit }

func (s given) Policy(p *task.Project) (task.Policy, error) {
	policy := s.k.Policy
	policy.Gates = maps.Clone(policy.Gates)
	for name, kinds := range p.Gates {
		if policy.Gates == nil {
			policy.Gates = map[string][]string{}
		}
		policy.Gates[name] = kinds
	}
	return policy, nil
}

// effective caches the effective configuration of a file in a project: operations need it often, and reading it each time
// takes a third of the time of long histories.
var effective sync.Map // of place to *config.Effective

type place struct{ file, project string }

func (s given) Effective(p *task.Project) (*config.Effective, error) {
	at := place{s.k.ConfigFile, p.Slug}
	if read, ok := effective.Load(at); ok {
		return read.(*config.Effective), nil
	}
	files := fstest.MapFS{}
	if s.k.ConfigFile != "" {
		files["repo/"+config.FileName] = &fstest.MapFile{Data: []byte(s.k.ConfigFile)}
	}
	loaded, err := config.Load(config.Options{Dir: "/repo", Files: absolute{files}})
	if err != nil {
		return nil, err
	}
	read, err := loaded.For(p.Slug, nil)
	if err == nil {
		effective.Store(at, read)
	}
	return read, err
}

func (s given) ActorIn(p *task.Project, a task.Actor) (task.Actor, error) {
	if s.k.ActorIn != nil {
		return s.k.ActorIn(p, a), nil
	}
	return a, nil
}

func (s given) ByRecord(p *task.Project, a task.Actor) (task.Actor, task.Policy, error) {
	policy, err := s.Policy(p)
	return a, policy, err
}

func (given) Actor(name string) (task.Actor, error)          { return task.Actor{Name: name}, nil }
func (given) Actors(*task.Project) ([]task.Actor, error)     { return nil, nil }
func (given) Register(*task.Project) (*task.Register, error) { return nil, nil }
func (given) FilePolicy(string) ([]byte, string)             { return nil, "" }
func (given) FileDir(string) string                          { return "" }
func (given) DeclaredSince(string) task.Time                 { return 0 }

// absolute is a file system whose paths begin with a slash.
type absolute struct{ files fstest.MapFS }

func (a absolute) Stat(name string) (fs.FileInfo, error) { return a.files.Stat(name[1:]) }
func (a absolute) ReadFile(name string) ([]byte, error)  { return a.files.ReadFile(name[1:]) }
