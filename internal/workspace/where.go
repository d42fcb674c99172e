package workspace

import (
	"fmt"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Where says how far the work on a task has come on its way to the base. They are in order: the first is the farthest away.
type Where string

// The places where work can be. Unknown is what a repository cannot tell: the commit is in another one.
const (
	Unknown Where = ""
	Nowhere Where = "nowhere" // in no commit of a branch
	Local   Where = "local"   // on a branch of this machine alone
	Pushed  Where = "pushed"  // on a branch of a remote
	Landed  Where = "landed"  // the base has it
)

// farness orders the places; what is unknown tells nothing and stands last.
var farness = map[Where]int{Nowhere: 0, Local: 1, Pushed: 2, Landed: 3, Unknown: 4}

// Landing is where the work on a closed task was when somebody last looked: the part of it that is farthest from the base.
type Landing struct {
	Task      task.ID   `json:"-"`
	Where     Where     `json:"where"`
	Commit    task.Opt  `json:"commit"`
	Branch    task.Opt  `json:"branch"` // that has the commit
	Base      string    `json:"base"`
	Remote    task.Opt  `json:"remote"` // whose branch the base is; null for one of this repository
	Proved    task.Opt  `json:"proved"` // the kind of evidence that was run on it; null for what lies in a workspace
	Path      string    `json:"path"`   // the repository or workspace that was looked at
	Host      string    `json:"host"`
	CheckedAt task.Time `json:"checkedAt"`
}

// Mark is one thing that shows where the work on a task is: a commit that evidence was run on, or what a workspace has
// checked out.
type Mark struct {
	Proved string // the kind of evidence; empty for a workspace
	Commit string
	Tree   string // the files that it was run on; empty where the commit says it
	Dirty  bool   // those files are not the commit's
	Path   string // of the workspace
	Landed *bool  // whether the base has the commit, where that is known; nil: it is not
}

// Farthest returns the landing that is farthest from its base, nil where none of them tells anything.
func Farthest(all []Landing) *Landing {
	var out *Landing
	for i := range all {
		if l := &all[i]; l.Where != Unknown && (out == nil || farness[l.Where] < farness[out.Where]) {
			out = l
		}
	}
	return out
}

// Since returns the marks of a task as they count once it was seen where its work is: what was proved on a commit with
// changes counts by the commit, where the commit was on a branch then.
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

// Words returns where the work is and how to land it, in one line; "" where it has landed.
func (l *Landing) Words() string {
	switch {
	case l.Where == Landed || l.Where == Unknown:
		return ""
	case l.Where == Nowhere && l.Proved == "":
		return "it has changes in " + l.Path + " that are not committed"
	case l.Where == Nowhere:
		return fmt.Sprintf("the files that %s was proved on are in no commit of a branch: commit them or put them away, prove it again, "+
			"and land it on %s", l.Proved, l.Base)
	case l.Where == Pushed:
		return fmt.Sprintf("its work is pushed%s, and not on %s; merge it there", l.on(), l.Base)
	case l.Remote != "" && string(l.Remote+"/"+l.Branch) == l.Base:
		return fmt.Sprintf("its work is%s alone, and not on %s; push it there: git push %s %s", l.on(), l.Base, l.Remote, l.Branch)
	case l.Remote != "":
		return fmt.Sprintf("its work is%s alone, and not on %s; push it (git push %s %s) and merge it there", l.on(), l.Base, l.Remote, l.Branch)
	}
	return fmt.Sprintf("its work is%s alone, and not on %s; merge it there", l.on(), l.Base)
}

// on names the branch, or the commit where no branch has it.
func (l *Landing) on() string {
	switch {
	case l.Branch != "":
		return " on " + string(l.Branch)
	case l.Commit != "":
		return " in " + string(l.Commit[:min(len(l.Commit), 12)])
	}
	return ""
}

// CheckLanding declines to record where the work is on a task that is not done.
func CheckLanding(t *task.Task) error {
	if t.Status != task.Done {
		return fault.Decline("%s is %s: where its work is is recorded once it is done", t.ID, t.Status)
	}
	return nil
}
