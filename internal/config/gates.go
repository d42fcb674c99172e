package config

import (
	"path/filepath"
	"slices"

	"tasker/internal/config/format"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Commands of gates are run only where this machine's own file declares them, in the directory of that file: no command
// ever comes from the database.

// ofFile reports whether a value is declared by a file of this machine.
func ofFile(n *strict.Node) bool {
	return n.Src.Layer == format.FileLayer || n.Src.Layer == format.LocalLayer
}

// ofThePolicy reports whether a value is declared by the file that the policy of record was recorded from.
func ofThePolicy(n *strict.Node) bool { return n.Src.Layer == format.DBLayer && n.Src.Recorded != "" }

// gateCommands returns the gates of a tree that ask for a command, and that a certain kind of layer declares.
func gateCommands(root *strict.Node, declares func(*strict.Node) bool) (out []string) {
	for _, gate := range root.Get("gates").All() {
		if slices.ContainsFunc(gate.Node.Items, func(item *strict.Node) bool {
			return task.IsCommand(item.Text) && declares(item)
		}) {
			out = append(out, gate.Name)
		}
	}
	return out
}

// fromRoot returns the directory of a file from the root of its repository, with slashes and "." for the root, or "" if it
// is in none. Every work tree of a repository agrees about it.
func (s *search) fromRoot(file string) string {
	dir := filepath.Dir(file)
	for root := range Upwards(dir) {
		if there(s.o.Files, filepath.Join(root, ".git")) {
			rel, _ := filepath.Rel(root, dir) // it is below the root
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// GateCommands returns the commands of a gate that a file of this machine declares for the project, in the gate's order,
// and the directory in which they run. It is empty for a gate that only the database knows.
func (l *Loaded) GateCommands(project, gate string) (lines []string, dir string, err error) {
	e, err := l.ForStored(project, Stored{})
	if err != nil || l.File == "" {
		return nil, "", err
	}
	if !slices.Contains(gateCommands(e.merged, ofFile), gate) {
		return nil, "", nil
	}
	return task.CommandLines(e.Gates[gate]), filepath.Dir(l.File), nil
}

// AsksForCommands reports whether a policy of record has a gate that asks for a command: the named one, or any if none is
// named.
func AsksForCommands(policy []byte, gate string) (bool, error) {
	c, err := ofRecord(policy)
	if err != nil {
		return false, err
	}
	for name, kinds := range c.Gates {
		if (gate == "" || name == gate) && slices.ContainsFunc(kinds, task.IsCommand) {
			return true, nil
		}
	}
	return false, nil
}

// GateLines returns the commands that a text of a configuration file, such as an earlier version of it, declares for a gate
// of the project. It is empty where the text declares another project.
func GateLines(file string, text []byte, project, gate string) ([]string, error) {
	layer, _, faults := readLayer(&strict.Source{Layer: format.FileLayer, File: file, Text: text}, nil)
	if err := format.Refuse(faults); err != nil {
		return nil, err
	}
	declared := layer.Get("gates").Get(gate)
	if declared == nil || layer.Get("project").Plain() != project {
		return nil, nil
	}
	return task.CommandLines(words.Each(declared.Items, func(item *strict.Node) string { return item.Text })), nil
}
