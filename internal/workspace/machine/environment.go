package machine

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/child/purpose"
	"tasker/internal/workspace"
)

func (m *Manager) placeOf(w *workspace.Workspace) workspace.At {
	return workspace.At{Root: w.Root, Dir: w.Path, Task: string(w.Task), Branch: w.Branch, Env: m.Env}
}

// Own returns the variables that describe its workspace to a child process.
func Own(v workspace.View) []workspace.Value {
	w := v.Record
	add := []workspace.Value{{Key: "TASKER_TASK", Value: string(w.Task)}}
	if v.Claim != nil {
		add = append(add, workspace.Value{Key: "TASKER_FENCE", Value: strconv.FormatInt(v.Claim.Fence, 10)})
	}
	add = append(add, workspace.Value{Key: "TASKER_WORKSPACE", Value: w.Path})
	if w.Branch != "" {
		add = append(add, workspace.Value{Key: "TASKER_BRANCH", Value: w.Branch})
	}
	for i, port := range w.Ports {
		if i == 0 {
			add = append(add, workspace.Value{Key: "TASKER_PORT", Value: strconv.Itoa(port)})
		}
		add = append(add, workspace.Value{Key: "TASKER_PORT_" + strconv.Itoa(i+1), Value: strconv.Itoa(port)})
	}
	for i := range add {
		add[i].From = "workspace"
	}
	return add
}

// Values returns the variables of a workspace: its own, then those of the providers, which cannot
// override its own.
func Values(v workspace.View, p workspace.Provided) []workspace.Value {
	own := Own(v)
	isOwn := func(value workspace.Value) bool {
		return slices.ContainsFunc(own, func(o workspace.Value) bool { return o.Key == value.Key })
	}
	return append(own, slices.DeleteFunc(slices.Clone(p.Values), isOwn)...)
}

// surroundings is what a step runs in.
type surroundings struct {
	env    []string
	secret []string // the values of the providers
}

func (m *Manager) surroundings(v workspace.View, p workspace.Provided) surroundings {
	return surroundings{m.Environment(v, p), secrets(p)}
}

// secrets returns the values of the providers, which are never shown.
func secrets(p workspace.Provided) []string {
	out := make([]string, 0, len(p.Values))
	for _, v := range p.Values {
		out = append(out, v.Value)
	}
	return out
}

// Environment returns the whole environment of a command in a workspace.
func (m *Manager) Environment(v workspace.View, p workspace.Provided) []string {
	env := append([]string{}, m.Env...)
	for _, value := range Values(v, p) {
		env = append(env, value.Key+"="+value.Value)
	}
	if len(p.Values) > 0 { // so that a command within masks them too
		names := make([]string, len(p.Values))
		for i, value := range p.Values {
			names[i] = value.Key
		}
		env = append(env, purpose.Provided+"="+strings.Join(names, ","))
	}
	return env
}
