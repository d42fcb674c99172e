package summary

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tasker/internal/bundle"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestFormsNameMembersOfTheirRecords(t *testing.T) {
	for _, c := range []struct {
		record any
		form   *form
	}{
		{work.NextOut{}, nextForm}, {work.MoveOut{}, moveForm}, {work.Idle{}, idleForm}, {Shown{}, bundleForm},
		{reading.WhoamiOut{}, whoamiForm}, {reading.SearchOut{}, searchForm}, {reading.ExplainOut{}, explainForm}, {task.Task{}, progressForm}, {task.Question{}, questionForm},
		{work.AskOut{}, askedForm}, {task.Claim{}, claimForm}, {work.ClaimOut{}, takenForm},
	} {
		check(t, c.form, reflect.TypeOf(c.record))
	}
}

// check compares a form with its type, and the forms below it with the types of their members.
func check(t *testing.T, f *form, of reflect.Type) {
	t.Helper()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	named := map[string]member{}
	for _, m := range f.members(of) {
		if named[m.name] = m; m.index == nil && m.made == nil {
			t.Errorf("%s has no member %s", of, m.name)
		}
		if m.unless != nil && of.FieldByIndex(m.index).Type != reflect.TypeOf(m.unless) {
			t.Errorf("%s of %s can never be %v", m.name, of, m.unless)
		}
		if m.form != nil {
			check(t, m.form, of.FieldByIndex(m.index).Type)
		}
	}
	for _, p := range f.with {
		_, there := named[p.name]
		if besideOnly := of == reflect.TypeFor[bundle.Bundle]() && p.name == "explain"; !there && !besideOnly {
			t.Errorf("the form of %s says something of %s, which it does not have", of, p.name)
		}
	}
	for _, name := range strings.Fields(f.but) {
		if !slices.ContainsFunc((&form{}).members(of), func(m member) bool { return m.name == name }) {
			t.Errorf("%s has no member %s to leave out", of, name)
		}
	}
}
