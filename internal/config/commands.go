package config

import (
	"strconv"

	"tasker/internal/config/format"
	"tasker/internal/strict"
	"tasker/internal/task"
)

// Command is a command that the configuration can run.
type Command struct {
	Key     string `json:"key"`
	Command string `json:"command"`
	Origin
}

// Commands lists every command that a configuration can run (steps, providers, exec channels, gates) with the file and line
// that declares it, in the order of the declaration.
func Commands(e *Effective) []Command {
	out := []Command{}
	format.Visit(e.merged, func(p format.Place) bool {
		add := func(command string) {
			out = append(out, Command{Key: p.Path, Command: command, Origin: originOf(p.NodeMember)})
		}
		k, text := p.Key, p.Node.Text
		line, isLine := task.CommandLine(text)
		switch {
		case k.Runs == format.Always, k.Runs == format.OfTypeExec && p.In.Node.Get("type").Plain() == "exec":
			add(text)
		case k.Runs == format.AfterDollar && isLine && ofFile(p.Node):
			add(line)
		}
		for _, program := range k.Programs {
			if program.Value == text {
				add(program.Command)
			}
		}
		return true
	})
	return out
}

// Where returns the file and line that declares a command, as people write it, or the layer if it is not in a file.
func (c Command) Where() string {
	switch {
	case c.File == nil:
		return string(c.Layer)
	case c.Line == nil:
		return *c.File
	}
	return *c.File + ":" + strconv.Itoa(*c.Line)
}

// StepKey returns the key of a step's command, in workspace.setup or workspace.teardown.
func StepKey(phase string, i int) string {
	return strict.Join(strict.At(strict.Join("workspace", phase), i), "run")
}

// ProviderKey returns the key of a provider; the keys of its commands start with it.
func ProviderKey(name string) string { return strict.Join("providers", name) }
