package prime

import (
	"fmt"

	"tasker/internal/text/words"
)

// unplanned returns the project that has no task yet, whether it exists or is only declared, or "".
func (s State) unplanned() string {
	if s.Project != "" && s.Counts.Total() == 0 && !s.Archived {
		return s.Project
	}
	return s.Unapplied.Project
}

// begin says how a plan is made, for a reader in a project that has none. It costs tokens only until there is one.
func (s State) begin() string {
	intro := words.Either(s.Unapplied.Project != "", s.Unapplied.String(), "The plan of "+s.unplanned()+" is empty") + "."
	if s.Human {
		return intro + " " + s.speech().beginHuman
	}
	return intro + " If your person asked you to plan the work, write the plan and apply it: 5 to 20 tasks, each one to two hours of work for one agent, " +
		"with 1 to 5 criteria that a command or a look can check; `deps` only where a task needs what another one makes.\n" +
		fmt.Sprintf(s.speech().begin, s.unplanned()) + "\nIf nobody asked you for a plan, ask your person what to do."
}

// nowhere says what to do where there is no project, and no file declares one.
func (s State) nowhere() string {
	return "There is no project here yet: " + words.When(!s.Human, "ask your person to ") + "run `tasker init` in the repository."
}
