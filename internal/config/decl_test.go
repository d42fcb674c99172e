package config

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"tasker/internal/config/format"
)

// The Go fields and the declaration must agree: each key has its field, each field its key, and the types match.
func TestConfigHasAFieldForEveryKey(t *testing.T) {
	var compare func(path string, k *format.Key, v reflect.Type)
	compare = func(path string, k *format.Key, v reflect.Type) {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		ok := false
		switch k.Type {
		case format.Object:
			if ok = v.Kind() == reflect.Struct; ok {
				compareFields(t, path, k, v, compare)
			}
		case format.Map:
			if ok = v.Kind() == reflect.Map && v.Key().Kind() == reflect.String; ok {
				compare(path+".<name>", k.Elem, v.Elem())
			}
		case format.List:
			if ok = v.Kind() == reflect.Slice || v.Kind() == reflect.Array && v.Len() == k.Len; ok {
				compare(path+"[]", k.Elem, v.Elem())
			}
		case format.Text:
			ok = v.Kind() == reflect.String || v == reflect.TypeFor[time.Duration]() && k.Rule == &format.LeaseRule
		case format.Number:
			ok = v.Kind() == reflect.Int
		case format.Boolean:
			ok = v.Kind() == reflect.Bool
		}
		if !ok {
			t.Errorf("%s is %s in the declaration and %s in Go", path, k.Describe(), v)
		}
	}
	compare("", &format.Root, reflect.TypeFor[Config]())
}

func compareFields(t *testing.T, path string, k *format.Key, v reflect.Type, compare func(string, *format.Key, reflect.Type)) {
	fields := map[string]reflect.Type{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Field(i).Tag.Get("json"), ",")
		fields[name] = v.Field(i).Type
	}
	for _, sub := range k.Keys {
		field, ok := fields[sub.Name]
		delete(fields, sub.Name)
		switch {
		case sub.Ignored:
		case !ok:
			t.Errorf("%s.%s has no field in %s", path, sub.Name, v)
		default:
			compare(path+"."+sub.Name, sub, field)
		}
	}
	for name := range fields {
		t.Errorf("%s has a field for %s, which is not declared", v, name)
	}
}

func TestEveryDefaultIsValid(t *testing.T) {
	format.Walk(func(path string, k *format.Key) {
		if k.Default == "" {
			return
		}
		if faults := faultsOf(t, place(path, k.Default)); len(faults) != 0 {
			t.Errorf("the default of %s: %v", path, faults)
		}
	})
}

// The defaults that the specification and the semantics page give.
func TestDefaults(t *testing.T) {
	e := mustFor(t, with(nil, nil), "")
	for key, want := range map[string]string{
		"execution.defaultAutonomy": `"autonomous"`, "execution.mayExecute": `[]`,
		"workspace.strategy": `"in-place"`, "workspace.dir": `".worktrees"`, "workspace.ports.perTask": `1`,
		"context.warnOnDrift": `true`, "context.bundleBudget": `null`, "notices.deprecations": `true`,
		"agentDefaults.lease": `"2h"`, "agentDefaults.budget": `null`, "agentDefaults.requireNoteOnDone": `false`,
		"branch.prefix": `"tasker/"`, "branch.template": `"{id}-{slug}"`, "branch.base": `null`, "auth.mode": `"open"`,
		"integrations.selection":              `["severity","sprint","due","priority","rank","age"]`,
		"integrations.code_host.branchPrefix": `"tasker/"`,
		"gates":                               `{}`, "actors": `[]`, "project": `null`,
	} {
		x, err := e.Explain(key)
		if err != nil {
			t.Fatal(err)
		}
		if string(x.Value) != want || x.Layer != format.DefaultsLayer || x.File != nil || x.Line != nil || len(x.Overrode) != 0 {
			t.Errorf("%s is %s by %s, want %s by defaults", key, x.Value, x.Layer, want)
		}
	}
	if step := mustFor(t, one(place("workspace.setup[].name", `"a"`)), "").Workspace.Setup[0]; step.Timeout() != 120*time.Second || step.Optional {
		t.Errorf("defaults of a step: %+v", step)
	}
	if e.Workspace.Ports != nil {
		t.Error("there are ports although no range is set")
	}
}
