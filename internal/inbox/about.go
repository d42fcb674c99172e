package inbox

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// About is what people need in order to decide about an item: what was handed over for an approval or a review, or, for a
// task that keeps failing, how the last try ended.
type About struct {
	By       task.Opt        `json:"by"`       // who handed it over, or held it last
	Note     task.Opt        `json:"note"`     // what that actor wrote for the reviewers, or the last note on what keeps failing, cut
	NoteBy   task.Opt        `json:"noteBy"`   // who wrote it
	Criteria task.Progress   `json:"criteria"` // ticked, and how many there are
	Resting  task.Opt        `json:"resting"`  // what the ticks rest on, as text
	Evidence []task.Evidence `json:"evidence"` // the newest; long values are cut
	Branch   task.Opt        `json:"branch"`   // of its workspace
	Bindings []task.Binding  `json:"bindings"` // the branch and the pull request that it is bound to
	Failures int             `json:"failures"` // since a human acknowledged them
}

// Dispute is a field on which another system disagrees.
type Dispute struct {
	Field  string `json:"field"`
	Ours   string `json:"ours"` // as text
	Theirs string `json:"theirs"`
}

// decided reports whether people decide about an item of this kind by the work on its task.
func decided(kind waiting.ItemKind) bool {
	return kind == waiting.ItemApproval || kind == waiting.ItemVerification || kind == waiting.ItemReview || kind == waiting.ItemFailing
}

// about adds to items what people need in order to decide about them. It costs a few queries, however many items there are,
// and none where nobody has to decide.
func (s scene) about(items []Item) error {
	var ids []task.ID
	for _, it := range items {
		if decided(it.Kind) && !slices.Contains(ids, it.Task) {
			ids = append(ids, it.Task)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	tasks, err := s.View.TasksByID(ids)
	if err != nil {
		return err
	}
	with := func(has func(*task.Task) bool) []task.ID {
		return task.IDsOf(slices.DeleteFunc(slices.Clone(tasks), func(t *task.Task) bool { return !has(t) }))
	}
	notes, err := inboxdb.Handovers(s.Tx, s.Project.Slug, with(func(t *task.Task) bool { return t.Notes > 0 && t.AwaitingSince > 0 }))
	if err != nil {
		return err
	}
	last, err := inboxdb.LastNotes(s.Tx, s.Project.Slug, with(func(t *task.Task) bool { return t.Notes > 0 && t.Failing > 0 }))
	if err != nil {
		return err
	}
	evidence, err := inboxdb.Shown(s.Tx, s.Project.Slug, with(func(t *task.Task) bool { return t.Evidences > 0 }))
	if err != nil {
		return err
	}
	bound, err := inboxdb.Bound(s.Tx, s.Project.Slug, with(func(t *task.Task) bool { return t.BindingCount > 0 }))
	if err != nil {
		return err
	}
	var branches map[task.ID]string
	if s.Project.Workspaces > 0 {
		if branches, err = workspace.Branches(s.Tx, s.Project.Slug, ids); err != nil {
			return err
		}
	}
	known := task.ByID(tasks)
	for i, it := range items {
		t := known[it.Task]
		if t == nil || !decided(it.Kind) {
			continue
		}
		note := notes[t.ID]
		if it.Kind == waiting.ItemFailing {
			note = last[t.ID]
		}
		a := &About{
			By: task.Opt(t.ReviewBy), Note: task.Opt(words.Cut(note.Text, maxTold)), NoteBy: task.Opt(note.Actor), Criteria: task.ProgressOf(t.Criteria),
			Resting: task.Opt(task.Resting(t.Criteria)), Evidence: evidence[t.ID], Failures: t.Failures, Branch: task.Opt(branches[t.ID]),
			Bindings: slices.DeleteFunc(slices.Clone(bound[t.ID]), func(b task.Binding) bool { return b.Kind == "issue" }),
		}
		if a.By == "" {
			a.By = task.Opt(t.LastHolder)
		}
		for j, e := range a.Evidence {
			if !proven.Ran(e) {
				a.Evidence[j].Value = words.Cut(e.Value, maxTold)
			}
		}
		items[i].About = a
	}
	return nil
}

// Asks returns why an item is there, without the parts that About has too.
func (it *Item) Asks() string {
	if it.About == nil {
		return it.Why
	}
	why, _, _ := strings.Cut(it.Why, ticksAre)
	if it.Kind == waiting.ItemFailing {
		why, _, _ = strings.Cut(why, lastNote)
	}
	return why
}

// Unbound returns the branch of the workspace, or "" if one of the bindings names it.
func (a *About) Unbound() task.Opt {
	for _, b := range a.Bindings {
		if strings.HasSuffix(b.Ref, "@"+string(a.Branch)) {
			return ""
		}
	}
	return a.Branch
}

// Work says in one line what was done: "2 of 3 criteria (2 run); ran make test, 1.2s, on 1f3c…; branch task/demo-4; o/n#12, open".
func (a *About) Work() string {
	var out []string
	if n := a.Criteria.Total; n > 0 {
		line := fmt.Sprintf("%d of %s", a.Criteria.Checked, words.Count(n, "criterion", "criteria"))
		if a.Resting != "" {
			line += " (" + string(a.Resting) + ")"
		}
		out = append(out, line)
	}
	for _, e := range a.Evidence {
		if r, ok := proven.Parse(e.Value); ok {
			out = append(out, "ran "+r.Words())
		} else {
			out = append(out, e.Kind+": "+e.Value)
		}
	}
	if b := a.Unbound(); b != "" {
		out = append(out, "branch "+string(b))
	}
	for _, b := range a.Bindings {
		out = append(out, b.Ref+words.When(b.State != "", ", "+string(b.State)))
	}
	return strings.Join(out, "; ")
}
