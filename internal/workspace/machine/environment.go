package machine

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/child/purpose"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
	"tasker/internal/workspace/env/envtext"
)

// Own returns the variables that describe its workspace to a child process.
func Own(v workspace.View) []envtext.Variable {
	w := v.Record
	add := []envtext.Variable{{Name: "TASKER_TASK", Value: string(w.Task)}}
	if v.Claim != nil {
		add = append(add, envtext.Variable{Name: "TASKER_FENCE", Value: strconv.FormatInt(v.Claim.Fence, 10)})
	}
	add = append(add, envtext.Variable{Name: "TASKER_WORKSPACE", Value: w.Path})
	if w.Branch != "" {
		add = append(add, envtext.Variable{Name: "TASKER_BRANCH", Value: w.Branch})
	}
	for i, port := range w.Ports {
		if i == 0 {
			add = append(add, envtext.Variable{Name: "TASKER_PORT", Value: strconv.Itoa(port)})
		}
		add = append(add, envtext.Variable{Name: "TASKER_PORT_" + strconv.Itoa(i+1), Value: strconv.Itoa(port)})
	}
	for i := range add {
		add[i].From = "workspace"
	}
	return add
}

// Values returns the variables of a workspace: its own, then those of the providers, which cannot
// override its own.
func Values(v workspace.View, p workspace.Provided) []envtext.Variable {
	own := Own(v)
	isOwn := func(value envtext.Variable) bool {
		return slices.ContainsFunc(own, func(o envtext.Variable) bool { return o.Name == value.Name })
	}
	return append(own, slices.DeleteFunc(slices.Clone(p.Values), isOwn)...)
}

// secrets returns the values of the providers, which are never shown.
func secrets(p workspace.Provided) []string {
	return words.Each(p.Values, func(v envtext.Variable) string { return v.Value })
}

// variables returns the variables of a workspace as a process takes them.
func variables(v workspace.View, p workspace.Provided) []string {
	return words.Each(Values(v, p), func(v envtext.Variable) string { return v.Name + "=" + v.Value })
}

// Environment returns the whole environment of a command in a workspace.
func (m *Manager) Environment(v workspace.View, p workspace.Provided) []string {
	env := slices.Concat(m.Env, variables(v, p))
	if len(p.Values) > 0 { // so that a command within masks them too
		env = append(env, purpose.Provided+"="+strings.Join(words.Each(p.Values, func(v envtext.Variable) string { return v.Name }), ","))
	}
	return env
}
