package reading

import (
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
)

// narrowed says which projects a command covers: without --all, only the one that -p, TASKER_PROJECT or the
// configuration names.
type narrowed struct {
	all  bool
	slug string // "" is every project
}

// flag is --all.
func (n *narrowed) flag() frame.Flag {
	return frame.Bool(&n.all, "all", "look at every project, whichever is configured")
}

// find finds the project.
func (n *narrowed) find(f *frame.Factory) (err error) {
	if n.all && f.Flags.Project != "" {
		return fault.Bad("-p names one project, and --all means every one").WithMissing("--all").WithHint("leave one of them out")
	}
	if n.all {
		return nil
	}
	n.slug, err = f.Project()
	return err
}

// absent reports whether an error says that the configured project is not in the database yet, which is not the
// reader's fault.
func (n *narrowed) absent(f *frame.Factory, err error) bool {
	return n.slug != "" && f.Flags.Project == "" && fault.Is(err, fault.NotFound)
}

// say notes that the answer covers one project only.
func (n *narrowed) say(f *frame.Factory, absent bool) {
	switch {
	case absent:
		f.Say("There is no project %s in the database yet: %s creates it; --all looks at every project\n", n.slug, f.AsCommand(hint.Command("apply -f FILE")))
	case n.slug != "":
		f.Say("Only in %s; --all looks at every project\n", n.slug)
	}
}
