package policy

import (
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/task"
)

// Settings answers from the configuration who an actor is, and which policy applies to a project. current returns what the
// files, the environment and the flags of the process say now, and each project's record brings its db layer. A nil current
// declares nothing.
func Settings(current func() *config.Loaded) core.Settings { return SettingsSince(current, nil) }

// SettingsSince is Settings for a server, which has started with a configuration: what changes in it later gives the actor
// that the server acts as no more rights.
func SettingsSince(current func() *config.Loaded, started *config.Loaded) core.Settings {
	if current == nil {
		current = sync.OnceValue(config.Nothing)
	}
	return &configured{current: current, started: started, elsewhere: sync.OnceValue(config.Nothing)}
}

type configured struct {
	current   func() *config.Loaded
	started   *config.Loaded        // nil: nothing was started
	elsewhere func() *config.Loaded // for a process without any file
}

// Policy returns the policy that applies to a project.
func (s *configured) Policy(p *task.Project) (task.Policy, error) {
	eff, err := s.Effective(p)
	if err != nil {
		return task.Policy{}, err
	}
	pol := policyOf(eff)
	pol.Place = task.ParsePlace(p.PolicyPlace)
	return pol, nil
}

// Effective returns the configuration that applies to a project.
func (s *configured) Effective(p *task.Project) (*config.Effective, error) {
	stored, err := Stored(p)
	if err != nil {
		return nil, err
	}
	return s.current().ForStored(p.Slug, stored)
}

// FilePolicy returns the policy of the file that declares a project, and the file.
func (s *configured) FilePolicy(slug string) (policy []byte, file string) {
	return s.current().Policy(slug)
}

// FileDir returns the directory of that file from the root of its repository.
func (s *configured) FileDir(slug string) string { return s.current().PolicyDir(slug) }

// DeclaredSince returns when the file that declares a project was last written.
func (s *configured) DeclaredSince(slug string) task.Time {
	loaded := s.current()
	if _, file := loaded.Policy(slug); file == "" || loaded.Since.IsZero() {
		return 0
	}
	return task.TimeOf(loaded.Since)
}

// ByRecord returns the actor and the policy that apply if no file declares the project.
func (s *configured) ByRecord(p *task.Project, a task.Actor) (task.Actor, task.Policy, error) {
	stored, err := Stored(p)
	if err != nil {
		return a, task.Policy{}, err
	}
	eff, err := s.elsewhere().ForStored(p.Slug, stored)
	if err != nil {
		return a, task.Policy{}, err
	}
	pol := policyOf(eff)
	pol.Place = task.ParsePlace(p.PolicyPlace)
	return declared(eff.Config, undeclared(a)), pol, nil
}

// ActorIn completes an actor with what the project's configuration declares.
func (s *configured) ActorIn(p *task.Project, a task.Actor) (task.Actor, error) {
	eff, err := s.Effective(p)
	if err != nil {
		return a, err
	}
	if d := eff.RecordedDefault; d != nil && a.Served != "" && *d != a.Name {
		a.Shell = a.Served
	}
	here := declared(eff.Config, undeclared(a))
	if !a.Started || s.started == nil || s.started == s.current() {
		return here, nil
	}
	stored, err := Stored(p)
	if err != nil {
		return a, err
	}
	first, err := s.started.ForStored(p.Slug, stored)
	if err != nil {
		return a, err
	}
	return here.Within(declared(first.Config, undeclared(a))), nil
}

// Actors returns the actors declared for a project.
func (s *configured) Actors(p *task.Project) ([]task.Actor, error) {
	eff, err := s.Effective(p)
	if err != nil {
		return nil, err
	}
	return actorsOf(eff.Config), nil
}

// actorsOf returns the actors that a configuration declares.
func actorsOf(c *config.Config) []task.Actor {
	out := make([]task.Actor, len(c.Actors))
	for i, a := range c.Actors {
		out[i] = declared(c, task.Actor{Name: a.Name})
	}
	return out
}

// Register returns what a project's record says, if it declares a human and the files of this process say something else.
func (s *configured) Register(p *task.Project) (*task.Register, error) {
	eff, err := s.Effective(p)
	if err != nil || eff.Recorded == nil {
		return nil, err
	}
	pol := policyOf(eff.Recorded)
	pol.Place = task.ParsePlace(p.PolicyPlace)
	return &task.Register{Actors: actorsOf(eff.Recorded.Config), Policy: pol}, nil
}

// Actor completes a name with its declaration. An undeclared actor is an agent without roles.
func (s *configured) Actor(full string) (task.Actor, error) {
	name, instance, err := task.ParseCaller(full)
	if err != nil {
		return task.Actor{}, err
	}
	loaded := s.current()
	eff, err := loaded.For(loaded.Project(), nil)
	if err != nil {
		return task.Actor{}, err
	}
	return declared(eff.Config, task.Actor{Name: name, Instance: instance}), nil
}

// undeclared returns an actor without its declaration.
func undeclared(a task.Actor) task.Actor {
	return task.Actor{Name: a.Name, Instance: a.Instance, Shell: a.Shell, Served: a.Served, Started: a.Started}
}

// declared completes an actor with its declaration, if there is one.
func declared(c *config.Config, a task.Actor) task.Actor {
	if d, ok := c.Actor(a.Name); ok {
		a.Declared, a.Human = true, d.Kind == "human"
		a.Roles, a.Capabilities, a.Ceiling = d.Roles, d.Capabilities, task.Autonomy(d.Autonomy)
	}
	return a
}

// roleCI is the role of an actor whose runs count like a human's.
const roleCI = "ci"

// policyOf converts a configuration to the domain's policy.
func policyOf(eff *config.Effective) task.Policy {
	lease := eff.AgentDefaults.Lease.Milliseconds()
	p := task.Policy{
		DefaultAutonomy:   task.Autonomy(eff.Execution.DefaultAutonomy),
		PreferredActor:    eff.Execution.PreferredActor,
		MayExecute:        eff.Execution.MayExecute,
		RequireApproval:   eff.Execution.RequireApproval,
		ReviewPolicy:      eff.Execution.ReviewPolicy,
		Gates:             eff.Gates,
		GateDirs:          eff.GateDirs,
		LeaseMs:           &lease,
		RequireNoteOnDone: eff.AgentDefaults.RequireNoteOnDone,
	}
	for _, a := range eff.Config.Actors {
		if a.Kind == "human" {
			p.Humans = append(p.Humans, declared(eff.Config, task.Actor{Name: a.Name}))
		}
	}
	p.DeclaresHuman = len(p.Humans) > 0
	known := eff.Config
	if eff.Recorded != nil { // a file alone gives nobody the role
		known = eff.Recorded.Config
	}
	for _, a := range known.Actors {
		if slices.Contains(a.Roles, roleCI) {
			p.CI = append(p.CI, a.Name)
		}
	}
	p.Selection = make([]task.SelectKey, 0, len(eff.Integrations.Selection))
	for _, k := range eff.Integrations.Selection {
		if !slices.Contains(p.Selection, task.SelectKey(k)) { // a repeated key counts once
			p.Selection = append(p.Selection, task.SelectKey(k))
		}
	}
	return p
}

// DBLayer returns the db layer of a project's configuration as one JSON object, or nil if it is empty.
func DBLayer(p *task.Project) ([]byte, error) {
	if len(p.Gates) == 0 {
		return p.Settings, nil
	}
	layer, err := LayerOf(p)
	if err != nil {
		return nil, err
	}
	return json.Marshal(layer, json.Deterministic(true))
}

// LayerOf returns the db layer of a project's configuration by its top-level keys: its settings, and the gates, which the
// record stores separately because plans set them too.
func LayerOf(p *task.Project) (map[string]jsontext.Value, error) {
	layer, err := splitLayer(p.Settings)
	if err == nil && len(p.Gates) > 0 {
		layer["gates"], err = json.Marshal(p.Gates, json.Deterministic(true))
	}
	return layer, err
}

// Stored returns a project's configuration in the database.
func Stored(p *task.Project) (config.Stored, error) {
	db, err := DBLayer(p)
	s := config.Stored{DB: db}
	if len(p.Policy) > 0 {
		s.Record, s.File, s.At, s.Dir = p.Policy, p.PolicyFile, p.PolicyAt.String(), p.PolicyDir
	}
	return s, err
}

// splitLayer returns the settings of a db layer by their top-level key.
func splitLayer(text []byte) (map[string]jsontext.Value, error) {
	layer := map[string]jsontext.Value{}
	if len(text) == 0 {
		return layer, nil
	}
	return layer, json.Unmarshal(text, &layer)
}
