package summary_test

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tasker/internal/op/summary"
	"tasker/internal/task"
	"tasker/internal/transfer/exporter"
	"tasker/internal/work"
)

// forms lists the forms of a task that show every settable field, except the fields they name. The result of a form
// differs between a task with the field and one without it.
var forms = []struct {
	name   string
	source string // where a field is added to it
	write  func(t *testing.T, rec *task.Task, field string) string
	except []string
}{
	{name: "the CSV export", source: "internal/transfer/exporter/table.go", write: cell},
	{name: "the short form of the tools", source: "internal/op/summary/forms.go", write: func(t *testing.T, rec *task.Task, _ string) string {
		return written(t, summary.Of(work.NextOut{Task: rec}))
	}},
	{
		name: "the card of a board", source: "internal/task/card.go",
		write: func(t *testing.T, rec *task.Task, _ string) string { return written(t, task.CardOf(rec)) },
		// They are long, and no board shows them.
		except: []string{"body", "deps", "mayExecute", "touches", "links"},
	},
}

// cell returns the cell of a task in the column of a field.
func cell(t *testing.T, rec *task.Task, field string) string {
	t.Helper()
	var out bytes.Buffer
	table, err := exporter.New("csv", &out, false)
	if err != nil {
		t.Fatal(err)
	}
	row := &exporter.Task{Task: rec, ParentKey: string(rec.Parent)}
	for _, id := range rec.Deps {
		row.DepKeys = append(row.DepKeys, string(id))
	}
	for _, err := range []error{table.Project(&task.Project{}), table.Task(row), table.End()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if at := slices.Index(rows[0], field); at >= 0 {
		return rows[1][at]
	}
	return ""
}

func TestEveryFormShowsWhatCanBeSet(t *testing.T) {
	fields := map[string]int{}
	for i := range reflect.TypeFor[task.Task]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[task.Task]().Field(i).Tag.Get("json"), ",")
		fields[name] = i
	}
	for _, form := range forms {
		for _, name := range task.Settable {
			without, with := &task.Task{ID: "demo-1"}, &task.Task{ID: "demo-1"}
			set(t, reflect.ValueOf(with).Elem().Field(fields[name]))
			shown := form.write(t, with, name) != form.write(t, without, name)
			if excepted := slices.Contains(form.except, name); !shown && !excepted {
				t.Errorf("%s does not show the field %s of a task: add it in %s", form.name, name, form.source)
			} else if shown && excepted {
				t.Errorf("%s shows the field %s of a task: it is not an exception any more", form.name, name)
			}
		}
		for _, name := range form.except {
			if !slices.Contains(task.Settable, name) {
				t.Errorf("%s excepts %s, which cannot be set", form.name, name)
			}
		}
	}
}

// set gives a field a non-zero value.
func set(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			set(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		set(t, v.Index(0))
	default:
		t.Fatalf("this test does not know how to fill a %s", v.Type())
	}
}
