package wire_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/testkit/optest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestArgumentsOfAToolReadAsTheRequestOfTheRoute(t *testing.T) {
	five := 5
	fence := int64(7)
	note := "half of it"
	for _, c := range []struct {
		o    *op.Op
		args string
		want any
	}{
		{op.Show.Op, `{"id": "demo-1", "budget": 5}`, reading.ShowIn{Task: "demo-1", Budget: &five}},
		{op.Show.Op, `{"id": "demo-1", "budget": null}`, reading.ShowIn{Task: "demo-1"}},
		{op.List.Op, ``, reading.ListIn{}},
		{op.Next.Op, `{"project": "demo", "apart": true}`, work.NextIn{Project: "demo", Apart: true}},
		{op.List.Op, `{"limit": 5, "ready": false}`, reading.ListIn{Limit: &five, Ready: new(bool)}},
		{op.Release.Op, `{"id": "demo-1", "fence": 7, "note": "half of it"}`, work.ReleaseIn{Task: "demo-1", Fence: &fence, Note: &note}},
		{op.Tick.Op, `{"id": "demo-1", "indexes": [1, 2.0]}`, work.TickIn{Task: "demo-1", Indexes: []int{1, 2}}},
	} {
		got, err := c.o.DecodeArgs([]byte(c.args))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: %+v, %v; want %+v", c.o.Name, c.args, got, err, c.want)
		}
	}
	got, err := op.Create.Op.DecodeArgs([]byte(`{"project": "demo", "title": "One"}`))
	if in, ok := got.(planning.CreateIn); err != nil || !ok || in.Project != "demo" || in.Def == nil {
		t.Errorf("create: %+v, %v", got, err)
	}
}

func TestArgumentsThatDoNotFitAreRefusedAndNamed(t *testing.T) {
	for _, c := range []struct {
		o          *op.Op
		args, want string
	}{
		{op.Show.Op, `{}`, "id: is required"},
		{op.Show.Op, `{"id": null}`, "id: is required"},
		{op.Show.Op, `{"id": "demo-1", "bugdet": 5}`, "bugdet: unknown key; allowed: id, budget, at; did you mean budget?"},
		{op.Show.Op, `{"id": ["demo-1"]}`, "id: must be a text, a number, true or false, not a list"},
		{op.Show.Op, `{"id": "demo-1", "budget": "many"}`, "budget: must be a whole number"},
		{op.Note.Op, `{"id": "demo-1", "text": 5}`, "text: must be a string"},
		{op.Note.Op, `[]`, "must be an object, not a list"},
		{op.Note.Op, `null`, "must be an object, not null"},
		{op.Note.Op, `{"id": "a", "id": "b"}`, "id: is given twice"},
		{op.Apply.Op, `{"project": "demo", "tasks": [], "colour": 1}`, "not valid"},
	} {
		_, err := c.o.DecodeArgs([]byte(c.args))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want a refusal with %q", c.o.Name, c.args, err, c.want)
		}
	}
}

// TestArgumentsCarryWhateverARequestCan sends a sample of every operation as arguments: the members of its body, its path
// and its query, in one object.
func TestArgumentsCarryWhateverARequestCan(t *testing.T) {
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		want, err := o.Encode(optest.In(o))
		if err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		args := map[string]any{}
		if len(want.Body) > 0 {
			if err := json.Unmarshal(want.Body, &args); err != nil {
				t.Fatalf("%s: %v", o.Name, err)
			}
		}
		query, err := url.ParseQuery(want.Query)
		if err != nil {
			t.Fatal(err)
		}
		for name := range query {
			args[name] = query.Get(name)
		}
		pattern, path := strings.Split(o.Path, "/"), strings.Split(want.Path, "/")
		for i, segment := range pattern {
			if name, ok := strings.CutPrefix(segment, "{"); ok {
				if args[strings.TrimSuffix(name, "}")], err = url.PathUnescape(path[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		src, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		back, err := o.DecodeArgs(src)
		if err != nil {
			t.Errorf("%s %s: %v", o.Name, src, err)
			continue
		}
		got, err := o.Encode(back)
		if err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the arguments say something else than the request (-request +arguments):\n%s", o.Name, diff)
		}
	}
}
