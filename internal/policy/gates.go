package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// GateInForce is a gate that counts for a project, and the setting that defines it.
type GateInForce struct {
	Name     string   `json:"name"`
	Requires []string `json:"requires"` // evidence, the record's included; none if only the review policy names the gate
	ByRecord []string `json:"byRecord"` // of these, what only the policy of record asks for, of agents
	Defined  bool     `json:"defined"`  // for agents: where the project's record declares a human, by the record
	Layer    string   `json:"layer"`
	File     task.Opt `json:"file"` // null for layers that are not files
	Line     *int     `json:"line"`
}

// Where names the setting: its file, or its layer.
func (g GateInForce) Where() string {
	return cmp.Or(string(g.File), "the layer "+g.Layer)
}

// Here returns what the layers of this process alone ask for.
func (g GateInForce) Here() []string {
	return slices.DeleteFunc(slices.Clone(g.Requires), func(kind string) bool { return slices.Contains(g.ByRecord, kind) })
}

// String says what the gate asks for and which setting defines it, and what the policy of record says otherwise.
func (g GateInForce) String() string {
	at := g.Where()
	if g.Line != nil {
		at = fmt.Sprintf("%s:%d", at, *g.Line)
	}
	said := fmt.Sprintf("gate %s asks for %s (%s)", g.Name, KindsOf(g.Here()), at)
	switch {
	case len(g.ByRecord) > 0:
		said += "; of agents also for " + words.List(g.ByRecord) + ", by the policy of record"
	case !g.Defined:
		said += "; agents close nothing that has it: the policy of record does not define it"
	}
	return said
}

// KindsOf lists kinds of evidence as gates ask for them.
func KindsOf(kinds []string) string {
	return cmp.Or(words.List(kinds), "no evidence")
}

// Gates returns every gate that is defined for a project, by name, as it is in force.
func Gates(env *core.Env, tx *store.Tx, p *task.Project) ([]GateInForce, error) {
	settings, err := env.Settings.Effective(p)
	if err != nil {
		return nil, err
	}
	pol, err := env.Policy(tx, p)
	if err != nil {
		return nil, err
	}
	out := []GateInForce{}
	for _, name := range pol.GateNames() {
		g, err := gate(settings, pol, name)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// Gate returns a gate that is defined for a project, as it is in force under the policy.
func Gate(env *core.Env, p *task.Project, pol task.Policy, name string) (GateInForce, error) {
	settings, err := env.Settings.Effective(p)
	if err != nil {
		return GateInForce{}, err
	}
	return gate(settings, pol, name)
}

func gate(settings *config.Effective, pol task.Policy, name string) (GateInForce, error) {
	g := GateInForce{Name: name}
	g.Requires, g.Defined = pol.GateFor(task.Opt(name))
	g.ByRecord = slices.DeleteFunc(slices.Clone(g.Requires), func(kind string) bool { return slices.Contains(pol.Gates[name], kind) })
	if !pol.DefinesGate(name) && settings.Recorded != nil {
		settings = settings.Recorded
	}
	key := strict.Join("execution.reviewPolicy", name)
	if _, ok := settings.Gates[name]; ok {
		key = strict.Join("gates", name)
	}
	x, err := settings.Explain(key)
	if err != nil {
		return g, err
	}
	if g.Layer, g.Line = string(x.Layer), x.Line; x.File != nil {
		g.File = task.Opt(*x.File)
	}
	return g, nil
}

// RunNowhere warns about gates of a plan that ask for a command and that no file of the project declares, neither here nor in
// its policy of record: no command comes from the database, so nothing would run it. A command warns by the files where it runs.
func RunNowhere(env *core.Env, p *task.Project, gates map[string][]string) (out []string, err error) {
	here, _ := env.Settings.FilePolicy(p.Slug)
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		lines := task.CommandLines(gates[name])
		if len(lines) == 0 {
			continue
		}
		declared := false
		for _, file := range [][]byte{here, p.Policy} {
			asks, err := config.AsksForCommands(file, name)
			if err != nil {
				return nil, err
			}
			declared = declared || asks
		}
		if !declared {
			out = append(out, fmt.Sprintf("gate %s asks for %s, and no file of %s declares that gate, so nothing runs it: have it declared in %s, below gates",
				name, words.List(words.Each(lines, task.CommandKind)), p.Slug, config.FileName))
		}
	}
	return out, nil
}
