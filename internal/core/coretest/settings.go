package coretest

import (
	"io/fs"
	"maps"
	"testing/fstest"

	"tasker/internal/config"
	"tasker/internal/task"
)

// settings answers the core from what the test put into its kit.
type settings struct{ k *Kit }

func (s settings) Policy(p *task.Project) (task.Policy, error) {
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

func (s settings) Effective(p *task.Project) (*config.Effective, error) {
	files := fstest.MapFS{}
	if s.k.ConfigFile != "" {
		files["repo/"+config.FileName] = &fstest.MapFile{Data: []byte(s.k.ConfigFile)}
	}
	loaded, err := config.Load(config.Options{Dir: "/repo", Files: absolute{files}})
	if err != nil {
		return nil, err
	}
	return loaded.For(p.Slug, nil)
}

func (s settings) ActorIn(p *task.Project, a task.Actor) (task.Actor, error) {
	if s.k.ActorIn != nil {
		return s.k.ActorIn(p, a), nil
	}
	return a, nil
}

func (s settings) ByRecord(p *task.Project, a task.Actor) (task.Actor, task.Policy, error) {
	policy, err := s.Policy(p)
	return a, policy, err
}

func (settings) Actor(name string) (task.Actor, error)      { return task.Actor{Name: name}, nil }
func (settings) Actors(*task.Project) ([]task.Actor, error) { return nil, nil }
func (settings) FilePolicy(string) ([]byte, string)         { return nil, "" }

// absolute is a file system whose paths begin with a slash.
type absolute struct{ files fstest.MapFS }

func (a absolute) Stat(name string) (fs.FileInfo, error) { return a.files.Stat(name[1:]) }
func (a absolute) ReadFile(name string) ([]byte, error)  { return a.files.ReadFile(name[1:]) }
