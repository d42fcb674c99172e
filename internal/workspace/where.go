package workspace

import (
	"fmt"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Where says how far the work on a task has come on its way to the base, in order: the first is the
// farthest away.
type Where string

// Where work can be. Unknown means that the repository cannot say: the commit is in another one.
const (
	Unknown Where = ""
	Nowhere Where = "nowhere" // in no commit of a branch
	Local   Where = "local"   // only on a branch of this machine
	Pushed  Where = "pushed"  // on a branch of a remote
	Landed  Where = "landed"  // the base has it
)

// farness ranks the places, the farthest from the base first. Unknown says nothing and comes last.
var farness = map[Where]int{Nowhere: 0, Local: 1, Pushed: 2, Landed: 3, Unknown: 4}

// Landing is where the work on a closed task was at the last check: the part of it that is farthest
// from the base.
type Landing struct {
	Task      task.ID   `json:"-"`
	Where     Where     `json:"where"`
	Commit    task.Opt  `json:"commit"`
	Branch    task.Opt  `json:"branch"`   // has the commit: the task's own, else the first by name
	Branches  int       `json:"branches"` // how many have it, on the remote where one of it does
	Base      string    `json:"base"`
	Remote    task.Opt  `json:"remote"` // has the base's branch; null if the base is in this repository
	Proved    task.Opt  `json:"proved"` // the kind of evidence that was run on it; null for what is in a workspace
	Path      string    `json:"path"`   // the repository or workspace that was checked
	Host      string    `json:"host"`
	CheckedAt task.Time `json:"checkedAt"`
}

// Mark shows where the work on a task is: a commit that evidence was run on, or what a workspace
// has checked out.
type Mark struct {
	Proved string // the kind of evidence; empty for a workspace
	Commit string
	Tree   string // the files that it was run on; empty if they are the commit's
	Dirty  bool   // the files differ from the commit's
	Path   string // of the workspace
	Branch string // the task's own; empty for none
	Landed *bool  // whether the base has the commit; nil if unknown
}

// Farthest returns the landing that is farthest from its base, or nil if all are unknown.
func Farthest(all []Landing) *Landing {
	var out *Landing
	for i := range all {
		if l := &all[i]; l.Where != Unknown && (out == nil || farness[l.Where] < farness[out.Where]) {
			out = l
		}
	}
	return out
}

// Since adjusts the marks of a task after a check: a mark that was proved on a commit with changes
// counts by the commit, if that was on a branch then.
func (l *Landing) Since(marks []Mark) []Mark {
	if l.Where != Local && l.Where != Pushed {
		return marks
	}
	out := slices.Clone(marks)
	for i := range out {
		if out[i].Dirty && out[i].Commit == string(l.Commit) {
			out[i].Dirty, out[i].Tree = false, ""
		}
	}
	return out
}

// HasLanded reports whether the base has the work.
func (l *Landing) HasLanded() bool { return l.Where == Landed }

// Words returns where the work is and how to land it, in one line, or "" if it has landed.
func (l *Landing) Words() string {
	switch {
	case l.Where == Landed || l.Where == Unknown:
		return ""
	case l.Where == Nowhere && l.Proved == "":
		return "it has changes in " + l.Path + " that are not committed"
	case l.Where == Nowhere:
		return fmt.Sprintf("no branch has a commit with the files that %s was proved on: commit or stash them, prove it again, "+
			"and land it on %s", l.Proved, l.Base)
	case l.Where == Pushed:
		return fmt.Sprintf("its work is pushed%s, but not on %s; merge it there", l.on(), l.Base)
	case l.Remote != "" && string(l.Remote+"/"+l.Branch) == l.Base:
		return fmt.Sprintf("its work is only%s, not on %s; push it there: git push %s %s", l.on(), l.Base, l.Remote, l.Branch)
	case l.Remote != "":
		return fmt.Sprintf("its work is only%s, not on %s; push it (git push %s %s) and merge it there", l.on(), l.Base, l.Remote, l.Branch)
	}
	return fmt.Sprintf("its work is only%s, not on %s; merge it there", l.on(), l.Base)
}

// on names the branch, or the commit if no branch has it.
func (l *Landing) on() string {
	switch {
	case l.Branch != "":
		return " on " + l.branches()
	case l.Commit != "":
		return " in " + string(l.Commit[:min(len(l.Commit), 12)])
	}
	return ""
}

// branches names the branch, and says how many others have the work.
func (l *Landing) branches() string {
	others := max(0, l.Branches-1)
	return string(l.Branch) + words.When(others > 0, " and "+words.Count(others, "other branch", "other branches"))
}

// FoundOn says where the run behind a closed task is to be found, as the last command saw that looked.
type FoundOn struct {
	Branch    task.Opt  `json:"branch"`   // that has a commit with its files: the task's own, else the first by name; null: none has
	Branches  int       `json:"branches"` // how many have one
	CheckedAt task.Time `json:"checkedAt"`
}

// FoundOn returns where the run is to be found, or nil if that command could not tell.
func (l *Landing) FoundOn() *FoundOn {
	if l == nil || l.Where == Unknown || l.Where == Nowhere && l.Proved == "" || l.Where == Landed && l.Branch == "" {
		return nil
	}
	return &FoundOn{Branch: l.Branch, Branches: l.Branches, CheckedAt: l.CheckedAt}
}

// Words says where it was found.
func (on *FoundOn) Words() string {
	switch {
	case on == nil:
		return ""
	case on.Branch == "":
		return "found on no branch"
	}
	return "found on " + (&Landing{Branch: on.Branch, Branches: on.Branches}).branches()
}

// CheckLanding refuses to record where the work is on a task that is not done.
func CheckLanding(t *task.Task) error {
	if t.Status != task.Done {
		return fault.Decline("%s is %s: where its work is can be recorded only once it is done", t.ID, t.Status)
	}
	return nil
}
