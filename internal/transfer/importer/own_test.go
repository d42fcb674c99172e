package importer_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/transfer/importer"
)

// TestRecordsBringEveryFieldThatCanBeSet reads one record of a task for each column that a plan can set, and checks that the
// plan it becomes has the value.
func TestRecordsBringEveryFieldThatCanBeSet(t *testing.T) {
	fields := reflect.TypeFor[task.Task]()
	tested := 0
	for i := range fields.NumField() {
		field := fields.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		column, _, _ := strings.Cut(field.Tag.Get("db"), ",")
		if column == "" || name == "parent" || !slices.Contains(task.Settable, name) { // a body, dependencies and a parent are records of others
			continue
		}
		tested++
		if item(t, column, valueOf(t, field.Type)) == item(t, "status", "open") {
			t.Errorf("an import of our own records loses the field %s: add it in internal/transfer/importer/own.go", name)
		}
	}
	if tested < 10 {
		t.Errorf("%d fields were tested", tested)
	}
}

// item returns the definition that the record of a task becomes if it has one column more than it needs.
func item(t *testing.T, column string, value any) string {
	t.Helper()
	records := []*query.Record{
		{Table: "project", Columns: []string{"id", "slug"}, Values: []any{int64(1), "demo"}},
		{Table: "task", Columns: []string{"id", "project", "key", "status", "title", column}, Values: []any{int64(2), int64(1), "a", "open", "A", value}},
	}
	batch, err := importer.FromRecords("demo", func() (*query.Record, error) {
		if len(records) == 0 {
			return nil, nil
		}
		next := records[0]
		records = records[1:]
		return next, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	it := batch.Items[0]
	text, err := json.Marshal([]any{it.Def.Fields, it.Criteria}, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// valueOf returns what the column of a field of a type holds when it is set.
func valueOf(t *testing.T, of reflect.Type) any {
	t.Helper()
	switch {
	case of.Kind() == reflect.Int || of.Kind() == reflect.Int64:
		return int64(1)
	case of.Kind() == reflect.String:
		return "x"
	case of == reflect.TypeFor[[]string]():
		return `["x"]`
	case of == reflect.TypeFor[[]task.Criterion]():
		return `[{"text":"x"}]`
	case of == reflect.TypeFor[[]task.Link]():
		return `[{"kind":"url","value":"x"}]`
	}
	t.Fatalf("this test does not know what a column of %s holds", of)
	return nil
}
