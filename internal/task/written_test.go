package task_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tasker/internal/task"
)

// The same fields and tags, without the methods: what reflection writes. A record within another is compared by itself.
type (
	plainTask      task.Task
	plainCriterion task.Criterion
	plainClaim     task.Claim
	plainEvent     task.Event
)

func TestRecordsAreWrittenAsTheirTagsSay(t *testing.T) {
	same := func(t *rapid.T, got, want any) {
		opts := jsontext.AllowInvalidUTF8(true)
		a, err := json.Marshal(got, opts)
		if err != nil {
			t.Fatalf("%+v: %v", got, err)
		}
		b, err := json.Marshal(want, opts)
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("written by hand:\n%s\nby its tags:\n%s", a, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a\xffb", "\u2028<&>\"\\\n\x00", "{", "["}))
		times := rapid.OneOf(rapid.Just[task.Time](0), rapid.Map(rapid.Int64Range(1, 4e15), func(v int64) task.Time { return task.Time(v) }))
		hold := rapid.Custom(func(t *rapid.T) *task.Claim {
			return &task.Claim{
				Task: task.ID(text.Draw(t, "task")), Actor: text.Draw(t, "actor"), Fence: rapid.Int64().Draw(t, "fence"), Version: rapid.Int64().Draw(t, "version"),
				ClaimedAt: times.Draw(t, "at"), RenewedAt: times.Draw(t, "at"), ExpiresAt: times.Draw(t, "at"), LeaseMs: rapid.Int64().Draw(t, "lease"),
			}
		})
		opt := rapid.Map(text, func(s string) task.Opt { return task.Opt(s) })
		some := rapid.SliceOfN(text, 0, 3)
		k := &task.Task{
			ID: task.ID(text.Draw(t, "id")), Project: text.Draw(t, "project"), Key: text.Draw(t, "key"), Title: text.Draw(t, "title"), Body: opt.Draw(t, "body"),
			Parent: opt.Draw(t, "parent"), Status: task.Status(text.Draw(t, "status")), Priority: rapid.Int().Draw(t, "priority"),
			Severity: task.Severity(rapid.IntRange(0, 4).Draw(t, "severity")), Due: opt.Draw(t, "due"), Gate: opt.Draw(t, "gate"), Autonomy: opt.Draw(t, "autonomy"),
			PreferredActor: opt.Draw(t, "preferred"), MayExecute: some.Draw(t, "may"), Touches: some.Draw(t, "touches"), Sprint: opt.Draw(t, "sprint"),
			Rank:     opt.Draw(t, "rank"),
			OpenDeps: rapid.Int().Draw(t, "deps"), OpenChildren: rapid.Int().Draw(t, "children"), Attempts: rapid.Int().Draw(t, "attempts"),
			Version:   rapid.Int64().Draw(t, "version"),
			CreatedBy: text.Draw(t, "by"), CreatedAt: times.Draw(t, "at"), UpdatedAt: times.Draw(t, "at"), ClosedAt: times.Draw(t, "at"),
		}
		for _, d := range some.Draw(t, "on") {
			k.Deps = append(k.Deps, task.ID(d))
		}
		for i, s := range some.Draw(t, "criteria") {
			k.Criteria = append(k.Criteria, task.Criterion{Index: i, Text: s, Checked: i%2 == 0, CheckedBy: opt.Draw(t, "by"), CheckedAt: times.Draw(t, "at")})
			k.Links = append(k.Links, task.Link{Kind: s, Ref: text.Draw(t, "ref"), Note: opt.Draw(t, "note")})
		}
		if rapid.Bool().Draw(t, "held") {
			k.Claim = hold.Draw(t, "claim")
			same(t, k.Claim, (*plainClaim)(k.Claim))
		}
		for i := range k.Criteria {
			same(t, &k.Criteria[i], plainCriterion(k.Criteria[i]))
		}
		same(t, k, plainTask(*k))
		same(t, *k, plainTask(*k))
		e := task.Event{
			ID: rapid.Int64().Draw(t, "id"), At: times.Draw(t, "at"), Project: opt.Draw(t, "project"), Task: opt.Draw(t, "task"), Actor: text.Draw(t, "actor"),
			Kind: task.Kind(text.Draw(t, "kind")), Batch: rapid.Int64().Draw(t, "batch"),
			Via: task.Via{Face: text.Draw(t, "face"), RequestID: opt.Draw(t, "request"), Session: opt.Draw(t, "session")},
		}
		if rapid.Bool().Draw(t, "told") {
			e.Payload = jsontext.Value(`{"a":[1,"b"],"c":null}`)
		}
		same(t, e, plainEvent(e))
	})
}

func TestPayloadsAreWrittenAsReflectionWould(t *testing.T) {
	value := rapid.SampledFrom([]any{
		nil, "", "a\u2028b\"", task.Opt(""), task.Opt("x"), task.Done, task.ID("p-1"), true, false, -1, int64(1) << 60, task.Time(0), task.Time(1_700_000_000_123_456), task.Severity(0), task.Severity(3),
		[]string{}, []task.ID{"p-2"}, map[string]int{"b": 1, "a": 2}, (*task.Claim)(nil), &task.Claim{Task: "p-3", Actor: "a", ExpiresAt: 1e15},
		[]task.Criterion{{Index: 1, Text: "t"}}, 1.5,
	})
	rapid.Check(t, func(t *rapid.T) {
		p := task.Payload{}
		for _, name := range rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,3}`), 0, 5).Draw(t, "names") {
			p[name] = value.Draw(t, "value")
			if rapid.Bool().Draw(t, "delta") {
				p[name] = task.Delta{From: p[name], To: value.Draw(t, "to")}
			}
		}
		got, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(map[string]any(p), json.Deterministic(true))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s\nwant %s, %v", got, want, err)
		}
	})
}
