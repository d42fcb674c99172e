package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// GateInForce is a gate that counts for a project, and the setting that defines it.
type GateInForce struct {
	Name     string   `json:"name"`
	Requires []string `json:"requires"` // evidence; none if only the review policy names the gate
	Layer    string   `json:"layer"`
	File     task.Opt `json:"file"` // null for layers that are not files
	Line     *int     `json:"line"`
}

// Where names the setting: its file, or its layer.
func (g GateInForce) Where() string {
	return cmp.Or(string(g.File), "the layer "+g.Layer)
}

// String says what the gate asks for and which setting defines it.
func (g GateInForce) String() string {
	at := g.Where()
	if g.Line != nil {
		at = fmt.Sprintf("%s:%d", at, *g.Line)
	}
	return fmt.Sprintf("gate %s asks for %s (%s)", g.Name, KindsOf(g.Requires), at)
}

// KindsOf lists kinds of evidence as gates ask for them.
func KindsOf(kinds []string) string {
	return cmp.Or(words.List(kinds), "no evidence")
}

// Gates returns every gate that is defined for a project, by name.
func Gates(env *core.Env, p *task.Project) ([]GateInForce, error) {
	settings, err := env.Settings.Effective(p)
	if err != nil {
		return nil, err
	}
	names := slices.Concat(slices.Collect(maps.Keys(settings.Gates)), slices.Collect(maps.Keys(settings.Execution.ReviewPolicy)))
	slices.Sort(names)
	out := []GateInForce{}
	for _, name := range slices.Compact(names) {
		g, err := gate(settings, name)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// Gate returns a gate that is defined for a project.
func Gate(env *core.Env, p *task.Project, name string) (GateInForce, error) {
	settings, err := env.Settings.Effective(p)
	if err != nil {
		return GateInForce{}, err
	}
	return gate(settings, name)
}

func gate(settings *config.Effective, name string) (GateInForce, error) {
	g := GateInForce{Name: name}
	key := strict.Join("execution.reviewPolicy", name)
	if kinds, ok := settings.Gates[name]; ok {
		g.Requires, key = kinds, strict.Join("gates", name)
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
