package wire

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/hint"
	"tasker/internal/strict"
	"tasker/internal/task"
)

// Examples of answers are made from their types, so that they are never out of date: each member has a value that fits
// its name. Examples of bodies are written by hand, in the table of operations.

// answerExample returns an answer of the endpoint.
func (e *Endpoint) answerExample() (any, error) {
	if e.Plain() {
		return "demo: 3 tasks, 1 ready\n", nil
	}
	v := reflect.New(pointed(e.Out))
	imagine(v.Elem(), "", nil)
	var b bytes.Buffer
	if err := WriteJSON(&b, v.Interface()); err != nil {
		return nil, err
	}
	if e.Events {
		return "id: 1\ndata: " + b.String() + "\n", nil
	}
	return jsontext.Value(bytes.TrimSpace(b.Bytes())), nil
}

// paramExample returns a value of a parameter.
func (p *param) example() any {
	switch p.kind {
	case reflect.String:
		return imagined(p.name)
	case reflect.Bool:
		return true
	default:
		return 10
	}
}

// imagine fills a value: lists have one item, and recursive types end there.
func imagine(v reflect.Value, name string, within []reflect.Type) {
	t := v.Type()
	if slices.Contains(within, t) {
		return
	}
	switch v.Interface().(type) {
	case jsontext.Value:
		v.SetBytes([]byte("{}"))
		return
	case task.Time:
		v.SetInt(exampleTime)
		return
	case hint.Advice:
		v.Set(reflect.ValueOf(hint.Advise("%s", imagined(name))))
		return
	case hint.Fetch:
		v.Set(reflect.ValueOf(hint.Fetch(hint.Show("demo-4"))))
		return
	}
	switch t.Kind() {
	case reflect.String:
		v.SetString(choose(t, name))
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		imagine(v.Elem(), name, within)
	case reflect.Slice:
		item := reflect.New(t.Elem())
		imagine(item.Elem(), name, within)
		if of := t.Elem(); of.Kind() != reflect.Pointer || !item.Elem().IsNil() && !item.Elem().Elem().IsZero() {
			v.Set(reflect.Append(reflect.MakeSlice(t, 0, 1), item.Elem()))
		}
	case reflect.Map:
		item := reflect.New(t.Elem())
		imagine(item.Elem(), name, within)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(reflect.ValueOf(imagined(name)).Convert(t.Key()), item.Elem())
	case reflect.Interface:
		v.Set(reflect.ValueOf(imagined(name)))
	case reflect.Struct:
		within = append(within[:len(within):len(within)], t)
		for _, f := range reflect.VisibleFields(t) {
			if name, _ := strict.NameOf(f); name != "" && !f.Anonymous {
				imagine(v.FieldByIndex(f.Index), name, within)
			}
		}
	}
}

// choose returns the first word of a type with a fixed set of words, or a text that fits the name.
func choose(t reflect.Type, name string) string {
	if f, ok := reflect.Zero(t).Interface().(strict.Formed); ok {
		if words, ok := f.Form().Schema().Get("enum").([]any); ok {
			if word, ok := words[0].(string); ok {
				return word
			}
		}
	}
	return imagined(name)
}

// exampleTime is 2026-01-31T12:00:00Z.
const exampleTime = 1_769_860_800_000_000

// imagined returns a text that fits a name.
func imagined(name string) string {
	return cmp.Or(imaginedTexts[name], name)
}

var imaginedTexts = map[string]string{
	"": "demo", "id": "demo-4", "task": "demo-4", "parent": "demo-1", "under": "demo-1", "dependsOn": "demo-1", "dependencyOf": "demo-4",
	"deps": "demo-2", "slug": "demo", "project": "demo", "name": "Demo", "title": "Write the parser", "key": "parser",
	"body": "Every rule of the grammar, with its tests.", "text": "It reads every rule of the grammar", "note": "half of it is there",
	"vision": "A language that anybody can read", "actor": "ann", "holder": "ann", "by": "ann", "heldBy": "ann", "createdBy": "ann", "author": "ann",
	"role": "lead", "status": "open", "due": "2026-02-28", "since": "2026-01-31T12:00:00Z", "kind": "tests", "value": "12 passed",
	"gate": "code", "q": "parser", "query": "parser", "for": "done", "touches": "src/**", "reason": "it waits for demo-2", "why": "it waits for demo-2",
	"ref": "docs/grammar.md", "checkedBy": "ann", "preferredActor": "ann", "mayExecute": "go", "sprint": "12", "rank": "a0", "to": "ann",
	"warnings": "the guidance has changed since the claim", "answer": "Yes, to the end of the line", "answeredBy": "ann", "rationale": "its faults read better",
	"url": "https://tracker.example/DEMO-4", "requires": "tests", "missing": "evidence: tests", "path": "AGENTS.md", "closedBy": "ann", "waitsFor": "demo-2",
	"unblocked": "demo-5", "tasks": "demo-4", "roles": "lead", "capabilities": "go", "file": "/repo/.tasker.json", "layer": "file", "items": "review:demo-4",
	"a": "demo-4", "b": "demo-5", "auth": "open", "face": "http", "field": "title",
	"autonomy": "autonomous", "error": "refusal", "message": "demo-4 waits for demo-2", "hint": "close demo-2 first", "version": "1.0.0",
}
