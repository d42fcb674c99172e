package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tasker/internal/admin"
	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// omission returns what a bundle says about a part that is incomplete.
func omission(b *bundle.Bundle, part string) (items int, command string) {
	for _, o := range b.Budget.Omitted {
		if o.Part == part {
			return *o.Items, o.Command.String()
		}
	}
	return 0, ""
}

// TestEveryListOfTextsInABundleHasABoundInBytes gives a task more of everything than fits: what is left out is named and
// counted, and what holds the task back is never left out.
func TestEveryListOfTextsInABundleHasABoundInBytes(t *testing.T) {
	text := strings.Repeat("x", task.MaxText)
	const n = 10
	coretest.Each(t, func(k *coretest.Kit) {
		ann := coretest.Human("ann")
		var defs []string
		for i := range n + 1 {
			parent := ""
			if i > 0 {
				parent = fmt.Sprintf(`, "parent": "up%d"`, i-1)
			}
			defs = append(defs, fmt.Sprintf(`{"key": "up%d", "title": "T", "body": "%s"%s}`, i, text, parent))
		}
		k.Tasks(strings.Join(defs, ","))
		id := fmt.Sprint("demo-", n+1)
		for i := range n {
			_, err := k.Work.Ask(ann, work.AskIn{Task: id, Text: text, Blocking: i == 0})
			k.Must(err)
			k.Note(ann, id, text)
			k.Edit(ann, id, fmt.Sprintf(`{"body": "%d%s"}`, i, text[1:]))
		}
		b := k.Show(id)
		size := func(texts ...int) (sum int) {
			for _, n := range texts {
				sum += n
			}
			return sum
		}
		above, asked, happened := 0, 0, 0
		for _, a := range b.Ancestors {
			above += len(a.Body)
		}
		for _, q := range b.Questions {
			asked += len(q.Text)
		}
		for _, e := range b.RecentEvents {
			happened += len(e.Payload)
		}
		if most := max(above, asked, happened); most > core.PageBytes || size(above, asked, happened) == 0 || len(b.Ancestors) != n {
			t.Errorf("%d ancestors have %d bytes, questions %d, events %d", len(b.Ancestors), above, asked, happened)
		}
		if !b.Questions[0].Blocking || len(b.Questions) < 2 {
			t.Errorf("of %d questions the first is blocking: %t", len(b.Questions), b.Questions[0].Blocking)
		}
		if items, command := omission(b, "questions"); items != n-len(b.Questions) || command != "tasker events --task "+id+" --kind question.asked --since-id 0" {
			t.Errorf("%d questions are left out, to be read by %s", items, command)
		}
		bodied := above / task.MaxText
		if items, command := omission(b, "ancestors.body"); items != n-bodied || command != fmt.Sprint("tasker show demo-", n-bodied) {
			t.Errorf("of %d bodies %d are left out, to be read by %s", n, items, command)
		}

		// A pruned log begins later, and so does the call that reads the rest.
		closed := fmt.Sprint("demo-", n+2)
		k.Tasks(`{"key": "closed", "title": "T"}`)
		for range 3 {
			k.Note(ann, closed, "so far")
		}
		k.Done(ann, closed)
		k.Pass(time.Second)
		pruned, err := k.Admin.EventsPrune(ann, admin.EventsPruneIn{
			Before: k.Now().String(), Add: func(*task.Event) error { return nil }, Close: func() (string, error) { return "sum", nil },
		})
		k.Must(err)
		from := pruned.FirstEvent - 1
		if from < n {
			t.Errorf("the log begins with event %d after it was pruned", pruned.FirstEvent)
		}
		want := fmt.Sprintf("tasker events --task %s --kind question.asked --since-id %d", id, from)
		if _, command := omission(k.Show(id), "questions"); command != want {
			t.Errorf("the rest of the questions is read by %s, and not by %s", command, want)
		}
		_, err = k.Reading.Events(ann, reading.EventsIn{Task: id, Kind: string(task.QuestionAsked), SinceID: &from})
		k.Must(err)
	})
}
