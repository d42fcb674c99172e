package reading_test

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/admin"
	"tasker/internal/app/services"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// oneFile is a file system with a single configuration file.
type oneFile struct{ files fstest.MapFS }

func (o oneFile) Stat(name string) (fs.FileInfo, error) { return o.files.Stat(name[1:]) }
func (o oneFile) ReadFile(name string) ([]byte, error)  { return o.files.ReadFile(name[1:]) }

const ruled = `{"version": 1, "project": "demo",
"actors": [
  {"name": "ann", "kind": "human", "roles": ["lead"]},
  {"name": "bot", "kind": "agent", "capabilities": ["go"]}],
"execution": {
  "defaultAutonomy": "supervised",
  "preferredActor": "bot",
  "mayExecute": ["go", "lead"],
  "requireApproval": [{"role": "lead", "reason": "two pairs of eyes"}],
  "reviewPolicy": {"ship.it": [
    {"actor": "ann", "kind": "verification"}]}},
"integrations": {"selection": ["priority", "age"]},
"gates": {"ship.it": ["test"]},
"agentDefaults": {"requireNoteOnDone": true}}`

// forHumans matches what explain never says to an agent.
var forHumans = regexp.MustCompile(`--force|--rm-dep|declare it|tasker answer|unarchive|\.tasker\.json|--actor|TASKER_ACTOR|widen`)

// fatal is a test, or one run of a property test.
type fatal interface {
	Helper()
	Fatal(args ...any)
}

// manor is a project under the rules above.
type manor struct {
	t fatal
	s *services.Set
}

// newManor opens a database and closes it at the end of the test.
func newManor(t *testing.T, db string) *manor {
	t.Helper()
	loaded, err := config.Load(config.Options{Dir: "/repo", Files: oneFile{fstest.MapFS{"repo/.tasker.json": {Data: []byte(ruled)}}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := coretest.Open(db, func() *config.Loaded { return loaded })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &manor{t, s}
}

// tasks applies a plan with these tasks.
func (h *manor) tasks(defs string) {
	h.t.Helper()
	doc, err := plan.Decode([]byte(`{"project": "demo", "tasks": [` + defs + `]}`))
	h.must(err)
	_, err = h.s.Planning.Apply(actor("ann"), planning.ApplyIn{Doc: doc})
	h.must(err)
}

// clear deletes the project.
func (h *manor) clear() {
	h.t.Helper()
	h.must(h.s.Store.Write(context.Background(), task.By{}, func(tx *store.Tx) error { return tx.DeleteProject("demo") }))
}

func actor(name string) context.Context {
	return core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: name}, How: "TASKER_ACTOR", Project: "demo", Via: task.Via{Face: "cli"}})
}

func (h *manor) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err, fault.Of(err).Missing)
	}
}

func (h *manor) explain(who, id string) reading.ExplainOut {
	out, err := h.s.Reading.Explain(actor(who), core.TaskIn{Task: id})
	h.must(err)
	return out
}

// reason returns the result of a rule.
func reason(t *testing.T, v reading.Verdict, rule string) reading.Reason {
	t.Helper()
	i := slices.IndexFunc(v.Reasons, func(r reading.Reason) bool { return r.Rule == rule })
	if i < 0 {
		t.Fatalf("there is no reason for rule %s: %+v", rule, v.Reasons)
	}
	return v.Reasons[i]
}

func TestEachReasonNamesTheSettingItsLayerFileAndLine(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		h := newManor(t, db)
		h.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"], "gate": "ship.it", "deps": ["b"]},
			{"key": "b", "title": "B", "autonomy": "human_only", "mayExecute": ["lead"]}, {"key": "c", "title": "C", "gate": "nowhere"}`)
		x := h.explain("bot", "a")
		if x.Ready.Yes || x.Claimable.Yes || x.Closable.Yes || x.Kind != "agent" || x.Actor != "bot" {
			t.Errorf("got %+v", x)
		}
		if r := reason(t, x.Ready, "dependencies"); r.OK || r.Why != "it waits for demo-2 (open)" || r.Change.String() != "close it first" {
			t.Errorf("dependencies: %+v", r)
		}
		if r := reason(t, h.explain("ann", "a").Ready, "dependencies"); !strings.Contains(r.Change.String(), "tasker edit demo-1 --rm-dep ID") {
			t.Errorf("dependencies, for a human: %+v", r)
		}
		setting := func(v reading.Verdict, rule, key, value, layer, file string, line int) {
			t.Helper()
			r := reason(t, v, rule)
			i := slices.IndexFunc(r.Settings, func(s reading.Setting) bool { return s.Key == key })
			if i < 0 {
				t.Errorf("%s does not go by %s: %+v", rule, key, r.Settings)
				return
			}
			s := r.Settings[i]
			at := 0
			if s.Line != nil {
				at = *s.Line
			}
			if got, want := fmt.Sprint(string(s.Value), s.Layer, string(s.File), at), fmt.Sprint(value, layer, file, line); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
		const file = "/repo/.tasker.json"
		setting(x.Ready, "selection", "integrations.selection", `["priority","age"]`, "file", file, 12)
		setting(x.Ready, "preference", "execution.preferredActor", `"bot"`, "file", file, 7)
		setting(x.Claimable, "routing", "execution.defaultAutonomy", `"supervised"`, "file", file, 6)
		setting(x.Claimable, "routing", "execution.mayExecute", `["go","lead"]`, "file", file, 8)
		setting(x.Claimable, "routing", "actors[1].capabilities", `["go"]`, "file", file, 4)
		setting(x.Claimable, "routing", "actors[1].autonomy", `null`, "defaults", "", 0)
		setting(x.Closable, "gate", `gates["ship.it"]`, `["test"]`, "file", file, 13)
		setting(x.Closable, "evidence", `gates["ship.it"]`, `["test"]`, "file", file, 13)
		setting(x.Closable, "note", "agentDefaults.requireNoteOnDone", "true", "file", file, 14)
		setting(x.Closable, "approval", "execution.requireApproval[0]", `{"role":"lead","reason":"two pairs of eyes"}`, "file", file, 9)
		if n := len(slices.DeleteFunc(slices.Clone(x.Closable.Reasons), func(r reading.Reason) bool { return r.Rule != "approval" })); n != 2 {
			t.Errorf("%d approvals are explained, want 2", n)
		}
		if r := reason(t, x.Closable, "criteria"); r.OK || r.Why != "missing: criterion 1: one, criterion 2: two" ||
			r.Change.String() != "tick each criterion once it is true (tasker check demo-1 1 2)" {
			t.Errorf("criteria: %+v", r)
		}
		if r := reason(t, h.explain("ann", "a").Closable, "criteria"); !strings.Contains(r.Change.String(), "or force the override") {
			t.Errorf("criteria, for a human: %+v", r)
		}
		if r := reason(t, h.explain("ann", "a").Closable, "evidence"); strings.Contains(r.Change.String(), "have a human") {
			t.Errorf("a human is told to ask a human: %+v", r)
		}
		stranger := h.explain("who", "b")
		if r := reason(t, stranger.Claimable, "routing"); r.OK || !strings.Contains(r.Why, "does not declare counts as an agent") || len(r.Settings) != 1 ||
			r.Settings[0].Key != "actors" {
			t.Errorf("routing of a stranger: %+v", r)
		}
		if x := h.explain("ann", "b"); !x.Ready.Yes || !x.Claimable.Yes || x.Closable.Yes {
			t.Errorf("for ann b is %+v", x)
		}
		if r := reason(t, h.explain("ann", "c").Closable, "gate"); r.OK || r.Settings[0].Key != "gates.nowhere" || string(r.Settings[0].Value) != "null" {
			t.Errorf("an undefined gate: %+v", r)
		}
		_, err := h.s.Work.Claim(actor("ann"), work.ClaimIn{Task: "b"})
		h.must(err)
		mine := h.explain("ann", "b")
		if r := reason(t, mine.Claimable, "claim"); !r.OK || !mine.Claimable.Yes || r.Why != "you hold it" {
			t.Errorf("one's own claim: %+v", r)
		}
		if r := reason(t, mine.Ready, "claim"); r.OK || len(r.Change) > 0 {
			t.Errorf("the holder is asked about its own claim: %+v", r)
		}
		if r := reason(t, h.explain("bot", "b").Closable, "claim"); r.OK || !strings.Contains(r.Why, "held by ann") {
			t.Errorf("another's claim: %+v", r)
		}
		if r := reason(t, h.explain("bot", "a").Ready, "dependencies"); !strings.HasPrefix(r.Why, "it waits for demo-2 (in progress, held by ann until ") {
			t.Errorf("a held dependency: %+v", r)
		}
		if _, err := h.s.Reading.Explain(actor("bot"), core.TaskIn{Task: "demo-9"}); !fault.Is(err, fault.NotFound) {
			t.Errorf("a task that is not there: %v", err)
		}
	})
}

func TestAVerdictIsWhatTheOperationSaysAndEachOfItsReasonsAgree(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		h := newManor(t, db)
		storetest.Check(t, db, func(rt *rapid.T) {
			h := &manor{rt, h.s}
			defer h.clear() // the next run starts without the project
			checkVerdicts(rt, h)
		})
	})
}

func checkVerdicts(t *rapid.T, h *manor) {
	opt := func(what, json string) string {
		if rapid.Bool().Draw(t, what) {
			return json
		}
		return ""
	}
	h.tasks(`{"key": "dep", "title": "D"}, {"key": "a", "title": "A"` +
		opt("criteria", `, "criteria": ["one"]`) + opt("gate", `, "gate": "ship.it"`) + opt("deps", `, "deps": ["dep"]`) +
		opt("autonomy", `, "autonomy": "human_only"`) + opt("mayExecute", `, "mayExecute": ["rust"]`) +
		`}, {"key": "kid", "title": "K", "parent": "` + rapid.SampledFrom([]string{"a", "dep"}).Draw(t, "parent") + `"}`)
	for range rapid.IntRange(0, 8).Draw(t, "steps") {
		who := actor(rapid.SampledFrom([]string{"ann", "bot", "who"}).Draw(t, "who"))
		switch rapid.IntRange(0, 7).Draw(t, "what") {
		case 0:
			_, _ = h.s.Work.Claim(who, work.ClaimIn{Task: "a"})
		case 1:
			_, _ = h.s.Work.Release(who, work.ReleaseIn{Task: "a"})
		case 2:
			_, _ = h.s.Work.Tick(who, work.TickIn{Task: "a", Index: 1})
		case 3:
			_, _ = h.s.Work.Evidence(who, work.EvidenceIn{Task: "a", Items: []task.EvidenceItem{{Kind: "test", Value: "x"}}})
		case 4:
			_, _ = h.s.Work.Approve(who, work.ApproveIn{Task: "a", Kind: rapid.SampledFrom([]string{"approval", "verification"}).Draw(t, "kind")})
		case 5:
			_, _ = h.s.Work.Note(who, work.NoteIn{Task: "a", Text: "x"})
		case 6:
			to := rapid.SampledFrom([]string{"open", "in_progress", "in_review", "cancelled"}).Draw(t, "to")
			_, _ = h.s.Work.Move(who, work.MoveIn{Task: rapid.SampledFrom([]string{"a", "dep", "kid"}).Draw(t, "moved"), To: to})
		case 7:
			if rapid.Bool().Draw(t, "archive") {
				_, _ = h.s.Admin.ProjectArchive(who, admin.ProjectArchiveIn{Slug: "demo"})
			}
		}
	}
	for _, who := range []string{"ann", "bot", "who"} {
		x := h.explain(who, "a")
		list, err := h.s.Reading.List(actor(who), reading.ListIn{Q: string(x.Task), Ready: new(true)})
		h.must(err)
		ready := len(list.Tasks) == 1
		shown, err := h.s.Reading.Show(actor(who), reading.ShowIn{Task: "a"})
		h.must(err)
		var fence *int64
		if c := shown.Task.Claim; c != nil && c.Actor == who { // the holder renews
			fence = &c.Fence
		}
		_, claim := h.s.Work.Claim(actor(who), work.ClaimIn{Task: "a", Fence: fence})
		if claim == nil {
			_, err := h.s.Work.Release(actor(who), work.ReleaseIn{Task: "a"})
			h.must(err)
		}
		for name, v := range map[string]struct {
			of   reading.Verdict
			want bool
		}{"ready": {x.Ready, ready}, "claimable": {x.Claimable, claim == nil}} {
			if v.of.Yes != v.want || v.of.Yes == slices.ContainsFunc(v.of.Reasons, func(r reading.Reason) bool { return !r.OK }) {
				t.Fatalf("for %s, %s: want %v, got %v:\n%+v", who, name, v.want, v.of.Yes, v.of.Reasons)
			}
		}
		for _, r := range slices.Concat(x.Ready.Reasons, x.Claimable.Reasons, x.Closable.Reasons) {
			if r.Why == "" || !r.OK && len(r.Change) == 0 && r.Why != "you hold it" {
				t.Fatalf("%s says too little: %+v", r.Rule, r)
			}
			if advice := r.Change.String(); who != "ann" && forHumans.MatchString(advice) {
				t.Fatalf("%s, an agent, is told %q", who, advice)
			}
		}
	}
	for _, who := range []string{"who", "bot", "ann"} { // the first success ends it
		x := h.explain(who, "a")
		_, err := h.s.Work.Move(actor(who), work.MoveIn{Task: "a", To: "done"})
		if x.Closable.Yes != (err == nil) || x.Closable.Yes == slices.ContainsFunc(x.Closable.Reasons, func(r reading.Reason) bool { return !r.OK }) {
			t.Fatalf("%s closes it: %v, and that is said to be %v:\n%s", who, err, x.Closable.Yes, cmp.Diff(nil, x.Closable.Reasons))
		}
	}
}

func TestTheManualKnowsTheProjectAndWhoAsks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		h := newManor(t, db)
		h.tasks(`{"key": "a", "title": "First", "mayExecute": ["lead"]}, {"key": "b", "title": "Second"},
			{"key": "c", "title": "Third", "autonomy": "human_only"}`)
		_, err := h.s.Work.Claim(actor("ann"), work.ClaimIn{Task: "a"})
		h.must(err)
		ann, err := h.s.Reading.Primed(actor("ann"), reading.PrimeIn{})
		h.must(err)
		bot, err := h.s.Reading.Primed(actor("bot"), reading.PrimeIn{Project: "demo"})
		h.must(err)
		if !ann.Human || len(ann.Holds) != 1 || ann.Holds[0].ID != "demo-1" || ann.Holds[0].LeftMs == nil || len(ann.Next) != 2 {
			t.Errorf("ann is told %+v", ann)
		}
		if bot.Human || len(bot.Holds) != 0 || len(bot.Next) != 1 || bot.Next[0].ID != "demo-2" || bot.Ready != 2 ||
			!slices.Equal(bot.Roles, []string{"go"}) {
			t.Errorf("bot is told %+v", bot)
		}
		if bot.Policy.PreferredActor != "bot" || !slices.Equal(bot.Selection, []task.SelectKey{"priority", "age"}) {
			t.Errorf("the policy is %+v by %v", bot.Policy, bot.Selection)
		}
		if _, err := h.s.Reading.Primed(actor("bot"), reading.PrimeIn{Project: "nothing"}); !fault.Is(err, fault.NotFound) {
			t.Errorf("a project that is not there: %v", err)
		}
		_, err = h.s.Admin.ProjectCreate(actor("ann"), admin.ProjectCreateIn{Slug: "other"})
		h.must(err)
		several, err := h.s.Reading.Primed(core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: "bot"}}), reading.PrimeIn{})
		if h.must(err); several.Project != "" || !slices.Equal(several.Projects, []string{"demo", "other"}) {
			t.Errorf("with several projects it says %+v", several)
		}
	})
}
