// Package optest makes inputs and outputs of any operation, for tests that cover the whole table.
package optest

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/admin"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/transfer/exporter"
	"tasker/internal/transfer/importer"
	"tasker/internal/views/reading"
)

// noFormat accepts tasks and writes nothing.
type noFormat struct{}

func (noFormat) Project(*task.Project) error { return nil }
func (noFormat) Task(*exporter.Task) error   { return nil }
func (noFormat) End() error                  { return nil }

// In returns an input of the operation with every field filled, including awkward characters.
func In(o *op.Op) any { return Of(o.In) }

// Of returns a value of an input type with every field filled.
func Of(in reflect.Type) any {
	switch in {
	case reflect.TypeFor[planning.ApplyIn]():
		return planning.ApplyIn{Doc: &plan.Document{
			Project: "demo", Name: plan.Give(task.Opt("Demo ☂")),
			Tasks: []plan.TaskDef{{Key: "a", Fields: plan.Fields{Title: plan.Give("First \"one\"")}}},
		}, DryRun: true}
	case reflect.TypeFor[planning.CreateIn]():
		return planning.CreateIn{Project: "demo", Def: &plan.TaskDef{Key: "k", Fields: plan.Fields{Title: plan.Give("Täsk"), Priority: plan.Give(1)}}}
	case reflect.TypeFor[planning.ImportIn]():
		return planning.ImportIn{Batch: &importer.Batch{
			Kind: "beads", Project: "demo", Items: []importer.Item{{Where: "line 1", Key: "a", Title: "First \"one\""}},
		}, DryRun: true}
	case reflect.TypeFor[reading.ExportIn]():
		return reading.ExportIn{Project: "demo", Into: noFormat{}}
	case reflect.TypeFor[admin.DumpIn]():
		return admin.DumpIn{Project: "demo", Begin: func(query.Dumped) error { return nil }, Record: func(query.Record) error { return nil }}
	case reflect.TypeFor[admin.LoadIn]():
		return admin.LoadIn{Next: func() (*query.Record, error) { return nil, nil }}
	case reflect.TypeFor[planning.EditIn]():
		return planning.EditIn{Task: "demo-1", Edit: &plan.Edit{Fields: plan.Fields{Title: plan.Give("New")}, AddDeps: []string{"x"}}}
	}
	v := reflect.New(in).Elem()
	fill(v, in.Name(), 0)
	return v.Interface()
}

// Out returns an answer of the operation with every field filled.
func Out(o *op.Op) any {
	v := reflect.New(o.Out).Elem()
	fill(v, o.Out.Name(), 0)
	return v.Interface()
}

// Bare returns an answer of the operation with only what is required: lists have no elements, and everything nullable is
// null.
func Bare(o *op.Op) any {
	v := reflect.New(o.Out).Elem()
	bare(v)
	return v.Interface()
}

func bare(v reflect.Value) {
	switch v.Interface().(type) {
	case task.Status, task.SelectKey, jsontext.Value:
		fill(v, "", 0)
		return
	}
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !hidden(f) {
				bare(v.Field(i))
			}
		}
	}
}

// deepest limits how deep fill goes; the types are finite, and none is this deep.
const deepest = 12

func fill(v reflect.Value, name string, depth int) {
	if depth > deepest {
		return
	}
	switch v.Interface().(type) {
	case jsontext.Value:
		v.Set(reflect.ValueOf(jsontext.Value(`{"from":1,"to":"x"}`)))
		return
	case task.Time:
		v.Set(reflect.ValueOf(task.Time(1_700_000_000_123_000)))
		return
	case task.Status:
		v.Set(reflect.ValueOf(task.InReview))
		return
	case task.SelectKey:
		v.Set(reflect.ValueOf(task.ByRank))
		return
	case task.Severity:
		v.Set(reflect.ValueOf(task.Severity(2)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(name + " a/b?c&d=é%")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(3 + len(name)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), fmt.Sprintf("%s%d", name, i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, k := range []string{"one", "two"} {
			elem := reflect.New(v.Type().Elem()).Elem()
			fill(elem, k, depth+1)
			v.SetMapIndex(reflect.ValueOf(k), elem)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(name))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !hidden(f) {
				fill(v.Field(i), f.Name, depth+1)
			}
		}
	}
}

// hidden reports whether a field is never sent.
func hidden(f reflect.StructField) bool {
	_, path := f.Tag.Lookup("path")
	_, query := f.Tag.Lookup("query")
	return f.Tag.Get("json") == "-" && !path && !query
}
