package planning_test

import (
	"fmt"
	"testing"
	"time"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// last returns the batch of the newest event.
func last(k *coretest.Kit) (number int64) {
	k.Helper()
	k.Must(k.Store.Read(coretest.Ann, func(tx *store.Tx) error { number = tx.LastEvent(); return nil }))
	return number
}

func TestADecisionIsWithdrawnAndRecordedAgain(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy = task.Policy{DeclaresHuman: true}
		k.Tasks(`{"key": "a", "title": "A"}`)
		d, err := k.Work.Decide(coretest.Bot, work.DecideIn{Task: "a", Title: "Use copper", Rationale: "it bends"})
		k.Must(err)
		_, err = k.Planning.Undo(coretest.Bee, planning.UndoIn{Number: d.ID})
		k.Refused(err, fault.Declined, "a change by bot")
		dry := undone(k, coretest.Bot, planning.UndoIn{Number: d.ID, DryRun: true})
		coretest.Equal(k, "would be undone", len(dry.Undone), 1)
		coretest.Equal(k, "decisions after a dry run", len(k.Show("a").Decisions), 1)

		undone(k, coretest.Bot, planning.UndoIn{Number: d.ID})
		coretest.Equal(k, "decisions", len(k.Show("a").Decisions)+k.Task("a").Decisions, 0)
		ev, payload := k.Last("demo-1")
		coretest.Equal(k, "event", string(ev.Kind)+payload,
			fmt.Sprintf(`decision.withdrawn{"decision":%d,"rationale":"it bends","title":"Use copper","undoes":%d}`, d.ID, d.ID))
		k.Healthy()
		out := undone(k, coretest.Ann, planning.UndoIn{Number: d.ID})
		coretest.Equal(k, "conflict", fmt.Sprint(out.Conflicts[0].Field, out.Conflicts[0].Why), "decisionit was withdrawn already")

		undone(k, coretest.Ann, planning.UndoIn{Number: ev.ID})
		coretest.Equal(k, "recorded again", k.Show("a").Decisions[0].Title+string(k.Show("a").Decisions[0].Rationale), "Use copperit bends")
		k.Healthy()
	})
}

func TestAQuestionThatNobodyHasAnsweredIsWithdrawn(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy = task.Policy{DeclaresHuman: true}
		k.Tasks(`{"key": "a", "title": "A"}`)
		ask := func(text string) task.Question {
			q, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "a", Text: text, Blocking: true})
			k.Must(err)
			return q.Question
		}
		q := ask("which one?")
		_, err := k.Planning.Undo(coretest.Bee, planning.UndoIn{Number: q.ID})
		k.Refused(err, fault.Declined, "a change by bot")
		undone(k, coretest.Bot, planning.UndoIn{Number: q.ID, DryRun: true})
		coretest.Equal(k, "open questions after a dry run", k.Task("a").Questions, 1)
		undone(k, coretest.Bot, planning.UndoIn{Number: q.ID})
		coretest.Equal(k, "open questions", k.Task("a").Questions, 0)
		_, payload := k.Last("demo-1")
		coretest.Contains(k, []string{payload}, `"undoes":`)
		out := undone(k, coretest.Bot, planning.UndoIn{Number: q.ID})
		coretest.Equal(k, "conflict", out.Conflicts[0].Why, "it was withdrawn already")

		q = ask("and now?")
		_, err = k.Work.Answer(coretest.Ann, work.AnswerIn{Question: q.ID, Text: "the second"})
		k.Must(err)
		out = undone(k, coretest.Bot, planning.UndoIn{Number: q.ID})
		coretest.Equal(k, "conflict", fmt.Sprint(out.Conflicts[0].Now, out.Conflicts[0].Why), "the secondann has answered it since")
		out = undone(k, coretest.Ann, planning.UndoIn{Number: newest(k, "demo-1")})
		coretest.Equal(k, "an answer stays", fmt.Sprint(len(out.Undone), out.Left[0].Kind), "0question.answered")
		k.Healthy()
	})
}

func TestChangesOfAProjectAreUndone(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "name": "Demo", "vision": "Ship", "gates": {"merge": ["test"]}, "tasks": [{"key": "a", "title": "A"}]}`)
		project := func(slug string) *task.Project {
			var p *task.Project
			k.Must(k.Store.Read(coretest.Ann, func(tx *store.Tx) (err error) { p, err = tx.Project(slug); return err }))
			return p
		}
		// Each change with its inverse, and the inverse of the inverse.
		both := func(what string, change func(), is func() string) {
			k.Helper()
			before := is()
			change()
			number, after := last(k), is()
			if before == after {
				t.Fatalf("%s: nothing has changed: %s", what, after)
			}
			dry := undone(k, coretest.Ann, planning.UndoIn{Number: number, Event: true, DryRun: true})
			coretest.Equal(k, what+" would be undone", len(dry.Undone), 1)
			coretest.Equal(k, what+" after a dry run", is(), after)
			out := undone(k, coretest.Ann, planning.UndoIn{Number: number, Event: true})
			coretest.Equal(k, what+": conflicts", len(out.Conflicts), 0)
			coretest.Equal(k, what+" undone", is(), before)
			out = undone(k, coretest.Ann, planning.UndoIn{Number: number, Event: true})
			if len(out.Conflicts) == 0 || out.Conflicts[0].Why != "it was changed again since" {
				t.Errorf("%s: undone twice: %+v", what, out)
			}
			undone(k, coretest.Ann, planning.UndoIn{Number: last(k)})
			coretest.Equal(k, what+" done again", is(), after)
			undone(k, coretest.Ann, planning.UndoIn{Number: last(k)})
			k.Healthy()
		}
		set := func(key string, value *string) func() {
			return func() {
				_, err := k.Admin.ProjectSet(coretest.Ann, admin.ProjectSetIn{Slug: "demo", Key: key, Value: value})
				k.Must(err)
			}
		}
		layer := func() string { p := project("demo"); return fmt.Sprint(p.Gates, string(p.Settings)) }
		both("set", set("agentDefaults.budget", new("9000")), layer)
		set("agentDefaults.lease", new("20m"))()
		both("unset", set("agentDefaults.lease", nil), layer)
		both("gates", set("gates", new(`{"ship": ["ci"]}`)), layer)
		both("archive", func() {
			_, err := k.Admin.ProjectArchive(coretest.Ann, admin.ProjectArchiveIn{Slug: "demo"})
			k.Must(err)
		}, func() string { return fmt.Sprint(project("demo").Archived) })
		both("rename", func() {
			_, err := k.Admin.ProjectRename(coretest.Ann, admin.ProjectRenameIn{Slug: "demo", To: "neu"})
			k.Must(err)
		}, func() string { return string(k.Task("demo-1").ID) + string(k.Task("demo-1").ID) })

		k.Apply(`{"project": "demo", "name": "Other", "gates": {"more": ["ci"]}, "tasks": [{"key": "a", "title": "B"}]}`)
		undone(k, coretest.Ann, planning.UndoIn{Number: newest(k, "demo-1")})
		p := project("demo")
		coretest.Equal(k, "after the plan", fmt.Sprint(p.Name, p.Vision, p.Gates, k.Task("a").Title), "DemoShipmap[merge:[test]]A")
	})
}

func TestAnActorIsRewoundWithItsDecisionsQuestionsAndProjectChanges(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Pass(5 * time.Millisecond)
		since := k.Now().String()
		_, err := k.Work.Decide(coretest.Bot, work.DecideIn{Task: "a", Title: "Use copper"})
		k.Must(err)
		_, err = k.Work.Ask(coretest.Bot, work.AskIn{Task: "a", Text: "which?", Blocking: true})
		k.Must(err)
		k.Edit(coretest.Bot, "demo-1", `{"title": "A2"}`)
		_, err = k.Admin.ProjectRename(coretest.Bot, admin.ProjectRenameIn{Slug: "demo", To: "neu"})
		k.Must(err)
		_, err = k.Admin.ProjectArchive(coretest.Bot, admin.ProjectArchiveIn{Slug: "neu"})
		k.Must(err)
		k.Policy = task.Policy{DeclaresHuman: true} // from now on it is no longer allowed
		out := undone(k, coretest.Bot, planning.UndoIn{By: "bot", Since: since, Project: "neu", DryRun: true, SkipConflicts: true})
		coretest.Contains(k, []string{out.Conflicts[0].Why}, "an agent may not bring back the project neu")
		out = undone(k, coretest.Ann, planning.UndoIn{By: "bot", Since: since, Project: "neu"})
		coretest.Equal(k, "undone", len(out.Undone), 5)
		got := k.Task("demo-1")
		coretest.Equal(k, "the task", fmt.Sprint(got.ID, got.Title, got.Decisions, got.Questions), "demo-1A0 0")
		k.Healthy()
	})
}

// TestEveryFieldOfAProjectThatHasNoConflictIsUndone: the name was changed again, and the vision is still restored.
func TestEveryFieldOfAProjectThatHasNoConflictIsUndone(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "name": "One", "vision": "see", "tasks": [{"key": "a", "title": "A"}]}`)
		k.Apply(`{"project": "demo", "name": "Two", "vision": "look", "gates": {"ship": ["tests"]}, "tasks": [{"key": "a", "title": "B"}]}`)
		batch := newest(k, "demo-1")
		k.Apply(`{"project": "demo", "name": "Three", "tasks": [{"key": "a", "title": "B"}]}`)
		out := undone(k, coretest.Ann, planning.UndoIn{Number: batch, SkipConflicts: true})
		coretest.Equal(k, "conflicts", fmt.Sprint(len(out.Conflicts), out.Conflicts[0].Field), "1name")
		p, err := k.Reading.Project(coretest.Ann, core.ProjectIn{Slug: "demo"})
		k.Must(err)
		coretest.Equal(k, "the project", fmt.Sprint(p.Name, p.Vision, len(p.Gates)), "Threesee0")
		k.Healthy()
	})
}
