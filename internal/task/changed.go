package task

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Limits of the paths that come with a move.
const (
	MaxPaths     = 500    // are kept; the rest is counted
	MaxPathsSent = 10_000 // come with one move
	MaxPath      = 500    // characters; more would not fit into the index of every database
)

// ChangedPaths is what had changed in the repository since a task was claimed, as seen by the command that handed the task
// over for review or closed it.
type ChangedPaths struct {
	Paths []string `json:"paths"` // from the root of the repository; the first MaxPaths
	Total int      `json:"total"` // how many there were
}

// ChangedOf returns the record of paths that came with a move: each once, in order.
func ChangedOf(paths []string) ChangedPaths {
	all := slices.Compact(slices.Sorted(slices.Values(paths)))
	return ChangedPaths{Paths: all[:min(len(all), MaxPaths)], Total: len(all)}
}

// CheckPaths refuses paths that no record may have.
func CheckPaths(paths []string) error {
	if err := CheckCount("paths", len(paths), MaxPathsSent); err != nil {
		return err
	}
	for i, p := range paths {
		at := "paths[" + strconv.Itoa(i) + "]"
		if err := fault.At(at, CheckText("the path", p, MaxPath)); err != nil {
			return err
		}
		if strings.HasPrefix(p, "/") || slices.Contains(strings.Split(p, "/"), "..") {
			return fault.At(at, fault.Bad("the path %s is outside the repository", words.Quoted(p)).
				WithHint("write it relative to the root of the repository, such as src/main.go"))
		}
	}
	return nil
}

// LaterWork is work that was closed after a task and changed files that the task changed: what proved the task says
// nothing about those files as they are now.
type LaterWork struct {
	Tasks []Later `json:"tasks"` // the first that were closed
	Total int     `json:"total"`
	More  bool    `json:"more"` // there are more than were counted
}

// Later is a task that was closed later.
type Later struct {
	Task     ID       `json:"task"`
	ClosedAt Time     `json:"closedAt"`
	Paths    []string `json:"paths"` // the first that both tasks changed
	Total    int      `json:"total"` // how many both tasks changed, as far as both are kept
}

// How much of later work is named.
const (
	laterTasks = 3
	laterPaths = 5
)

// LaterOf returns the later work among the given closings, each with one path that both changed, in any order; nil if
// there is none. more says that there are others.
func LaterOf(met []Later, more bool) *LaterWork {
	by := map[ID]*Later{}
	var all []*Later
	for _, m := range met {
		l := by[m.Task]
		if l == nil {
			l = &Later{Task: m.Task, ClosedAt: m.ClosedAt}
			by[m.Task], all = l, append(all, l)
		}
		l.Paths = append(l.Paths, m.Paths...)
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b *Later) int { return cmp.Or(cmp.Compare(a.ClosedAt, b.ClosedAt), CompareIDs(a.Task, b.Task)) })
	out := &LaterWork{Total: len(all), More: more}
	for _, l := range all[:min(len(all), laterTasks)] {
		slices.Sort(l.Paths)
		l.Total = len(l.Paths)
		l.Paths = l.Paths[:min(l.Total, laterPaths)]
		out.Tasks = append(out.Tasks, *l)
	}
	return out
}

// Words says which later work there is; empty for none.
func (l *LaterWork) Words() string {
	if l == nil {
		return ""
	}
	each := words.Each(l.Tasks, func(t Later) string { return string(t.Task) + " (" + words.Some(t.Paths, t.Total) + ")" })
	said := "later work changed the same files: " + words.List(each)
	if rest := l.Total - len(each); rest > 0 {
		said += " and " + words.When(l.More, "at least ") + strconv.Itoa(rest) + " more"
	}
	return said
}
