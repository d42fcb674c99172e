package wire_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"tasker/internal/bundle"
	"tasker/internal/fault"
	"tasker/internal/op/wire"
	"tasker/internal/strict"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// fill sets every field of a value to something drawn; pointers and lists are empty now and then.
func fill(t *rapid.T, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "a", "x\"<\u2028>\xff"}).Draw(t, "text"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(0, 4e15).Draw(t, "number"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Pointer:
		if depth < 4 && rapid.Bool().Draw(t, "some") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(rapid.SampledFrom([]string{`{}`, `{"a":[null]}`}).Draw(t, "json")))
			return
		}
		n := rapid.IntRange(0, 2).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			e := v.Index(i)
			if e.Kind() == reflect.Pointer { // a list has no holes
				e.Set(reflect.New(e.Type().Elem()))
				e = e.Elem()
			}
			fill(t, e, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), depth)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf("any"))
	default:
		t.Fatalf("cannot fill a %s", v.Type())
	}
}

func TestWhatIsWrittenByHandIsWhatReflectionWouldWrite(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[work.NextOut](), reflect.TypeFor[reading.ReadyOut](), reflect.TypeFor[reading.BoardOut](),
		reflect.TypeFor[reading.MachineOut](), reflect.TypeFor[bundle.Bundle](),
	} {
		rapid.Check(t, func(t *rapid.T) {
			p := reflect.New(of)
			fill(t, p.Elem(), 0)
			switch v := p.Interface().(type) {
			case *bundle.Bundle:
				if v.Task == nil {
					return // there is none without a task
				}
			case *work.NextOut:
				if v.Bundle != nil && v.Bundle.Task == nil {
					v.Bundle = nil
				}
				if v.Bundle != nil && v.Task != nil && rapid.Bool().Draw(t, "the same task") { // as in every real answer
					v.Bundle.Task = v.Task
				}
			}
			answer := p.Elem().Interface()
			if _, ok := p.Interface().(*bundle.Bundle); ok {
				answer = p.Interface()
			}
			if _, ok := p.Interface().(strict.Record); !ok {
				t.Fatalf("%T is not written by hand", answer)
			}
			var got bytes.Buffer
			if err := wire.WriteIn(&got, answer, wire.Language{}); err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(p.Elem().Interface(), strict.JSONOptions)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want)+"\n" {
				t.Errorf("by hand:\n%sby reflection:\n%s", got.String(), want)
			}
		})
	}
}

func TestAMissingCredentialIsToldInTwoMembers(t *testing.T) {
	say := func(c fault.Call) string { return c.String() }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fault.New(fault.Unauthorized, "no token").WithHint("send one").WithMissing("header"), `{"error":"unauthorized","message":"no token: send one"}`},
		{fault.New(fault.Unauthorized, "no token"), `{"error":"unauthorized","message":"no token"}`},
		{fault.New(fault.Forbidden, "no").WithHint("ask"), `{"error":"forbidden","message":"no","missing":[],"hint":"ask"}`},
	} {
		for _, told := range []any{wire.FailureOf(c.err, say).Told(), wire.Parted{Failure: wire.FailureOf(c.err, say)}.Told()} {
			var got bytes.Buffer
			if err := wire.WriteJSON(&got, told); err != nil || strings.TrimSpace(got.String()) != c.want {
				t.Errorf("%v: %s, want %s", err, got.String(), c.want)
			}
		}
	}
}
