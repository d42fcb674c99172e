package config

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/config/format"
	"tasker/internal/strict"

	"github.com/google/go-cmp/cmp"
)

const recordFile = `{"version":1,"project":"demo","gates":{"ship":["test"]},"actors":[{"name":"ann","kind":"human","roles":["lead"]}],
	"execution":{"requireApproval":[{"role":"lead"}]},"integrations":{"selection":["due"],"code_host":{"repos":["a/b"]}},
	"agentDefaults":{"lease":"1h","requireNoteOnDone":true},"workspace":{"setup":[{"name":"x","run":"true"}]},"branch":{"base":"main"}}`

func TestThePolicyOfRecordIsWhatTheFileDecides(t *testing.T) {
	l, err := Load(with(map[string]string{filePath: recordFile, localPath: `{"gates":{"ship":[]}}`}, nil))
	if err != nil {
		t.Fatal(err)
	}
	policy, file := l.Policy("demo")
	want := `{"actors":[{"kind":"human","name":"ann","roles":["lead"]}],"agentDefaults":{"requireNoteOnDone":true},"branch":{"base":"main"},` +
		`"execution":{"requireApproval":[{"role":"lead"}]},"gates":{"ship":["test"]},"integrations":{"selection":["due"]}}`
	if string(policy) != want || file != filePath {
		t.Errorf("%s of %s, want %s", policy, file, want)
	}
	if policy, file := l.Policy("other"); policy != nil || file != "" {
		t.Errorf("another project: %s of %s", policy, file)
	}
	if policy, _ := mustLoad(t, `{"version":1,"project":"demo","agentDefaults":{"lease":"1h"}}`).Policy("demo"); string(policy) != "{}" {
		t.Errorf("a file that decides nothing: %s", policy)
	}
}

func mustLoad(t *testing.T, text string) *Loaded {
	t.Helper()
	l, err := Load(one(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheRecordStandsInThePlaceOfTheFileBelowTheDBLayer(t *testing.T) {
	own := mustLoad(t, recordFile)
	policy, _ := own.Policy("demo")
	stored := Stored{Record: policy, File: "/far/.tasker.json", At: "2026-01-02T03:04:05.000Z", DB: []byte(`{"gates":{"ship":["review"]}}`)}
	elsewhere := mustLoad(t, `{"version":1,"project":"other","actors":[{"name":"ann","kind":"agent"},{"name":"eve","kind":"human"}],
		"agentDefaults":{"requireNoteOnDone":false,"lease":"3h"},"gates":{"x":[]}}`)
	e, err := elsewhere.ForStored("demo", stored)
	if err != nil {
		t.Fatal(err)
	}
	ann, _ := e.Actor("ann")
	if _, eve := e.Actor("eve"); eve || ann.Kind != "human" || !e.AgentDefaults.RequireNoteOnDone {
		t.Errorf("another project's file decides: %+v", e.Config)
	}
	if !slices.Equal(e.Gates["ship"], []string{"review"}) || e.Gates["x"] != nil || e.AgentDefaults.Lease.Hours() != 3 {
		t.Errorf("%+v", e.Config)
	}
	x, err := e.Explain("agentDefaults.requireNoteOnDone")
	if err != nil || x.Layer != "db" || x.File == nil || *x.File != stored.File || x.RecordedAt == nil || *x.RecordedAt != stored.At || x.Line != nil {
		t.Errorf("%+v %v", x, err)
	}
	x, err = e.Explain("gates.ship")
	if err != nil || x.Layer != "db" || x.RecordedAt != nil || len(x.Overrode) != 1 || string(x.Overrode[0].Value) != `["test"]` {
		t.Errorf("%+v %v", x, err)
	}
	if want := "the policy of record, from /far/.tasker.json at 2026-01-02T03:04:05.000Z"; e.Rules() != want {
		t.Errorf("%q", e.Rules())
	}
	// Next to the file, the file counts and the record does not.
	e, err = mustLoad(t, `{"version":1,"project":"demo"}`).ForStored("demo", stored)
	if err != nil || e.DeclaresHuman() || e.AgentDefaults.RequireNoteOnDone || e.Rules() != "the file "+filePath {
		t.Errorf("%+v %q %v", e.Config, e.Rules(), err)
	}
	if d, err := own.Differences(Stored{Record: policy, At: stored.At}); err != nil || len(d) != 0 {
		t.Errorf("%v %v", d, err)
	}
}

// loosening are changes of a policy of record, each with what Loosened says of it.
var loosening = []struct{ name, from, to, want string }{
	{"nothing", "", "", ""},
	{"an agent becomes human", `"bot","kind":"agent"`, `"bot","kind":"human"`, "actors: bot would be a human"},
	{"a human is gone", `{"name":"ann","kind":"human","roles":["lead"]},`, ``, "actors: ann would no longer be a human"},
	{"a role", `"agent",`, `"agent","roles":["lead"],`, "actors: bot would have lead"},
	{"a ceiling", `,"autonomy":"supervised"}`, `}`, "actors: the ceiling of bot would no longer be supervised"},
	{"a new human", `"actors":[`, `"actors":[{"name":"eve","kind":"human"},`, "actors: eve would be a human"},
	{"a gate is gone", `"ship":["test","review"]`, ``, "gates.ship: it would be gone"},
	{"a gate asks for less", `["test","review"]`, `["test"]`, "gates.ship: it would no longer ask for evidence review"},
	{"a gate is defined that tasks have", `"gates":{`, `"gates":{"taken":[],`, "gates.taken: it would be defined, and tasks have it"},
	{"approvals define a gate that tasks have", `"reviewPolicy":{`, `"reviewPolicy":{"taken":[],`, "execution.reviewPolicy.taken: it would be defined, and tasks have it"},
	{"a gate is defined that no task has", `"gates":{`, `"gates":{"new":[],`, ""},
	{"a human acts where nobody is named", `"human","roles":["lead"]`, `"human","roles":["lead"],"default":true`, "actors: ann would act where nobody is named"},
	{"an agent acts where nobody is named", `"kind":"agent"`, `"kind":"agent","default":true`, ""},
	{"another base", `"gates":{`, `"branch":{"base":"feature"},"gates":{`, "branch.base: from none to feature"},
	{"no note", `"requireNoteOnDone":true`, ``, "agentDefaults.requireNoteOnDone: from true to false"},
	{"no approval", `[{"role":"lead"}]`, `[]`, "execution.requireApproval: approval by lead would no longer be asked for"},
	{"anybody's approval", `[{"role":"lead"}]`, `[{"reason":"x"}]`, "execution.requireApproval: approval by lead would no longer be asked for"},
	{"no verification", `[{"kind":"verification"}]`, `[]`, "execution.reviewPolicy.ship: verification by any human would no longer be asked for"},
	{"more may execute", `["dev"]`, `["dev","ops"]`, "execution.mayExecute: from dev to dev, ops"},
	{"a wider default", `"defaultAutonomy":"supervised"`, `"defaultAutonomy":"autonomous"`, "execution.defaultAutonomy: from supervised to autonomous"},
	{"stricter all over", `["test","review"]`, `["test","review","log"]`, ""},
	{"one more approval", `[{"role":"lead"}]`, `[{"role":"lead","actor":"ann"},{"role":"boss"}]`, ""},
}

func TestWhatIsLooserThanTheRecord(t *testing.T) {
	const base = `{"actors":[{"name":"ann","kind":"human","roles":["lead"]},{"name":"bot","kind":"agent","autonomy":"supervised"}],
		"gates":{"ship":["test","review"]},"agentDefaults":{"requireNoteOnDone":true},
		"execution":{"requireApproval":[{"role":"lead"}],"reviewPolicy":{"ship":[{"kind":"verification"}]},"mayExecute":["dev"],"defaultAutonomy":"supervised"}}`
	for _, c := range loosening {
		t.Run(c.name, func(t *testing.T) {
			got, err := Loosened([]byte(base), []byte(strings.Replace(base, c.from, c.to, 1)), func(gate string) bool { return gate != "new" })
			var want []string
			if c.want != "" {
				want = []string{c.want}
			}
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("%v %s", err, d)
			}
		})
	}
}

// An agent may replace a record as long as Loosened finds nothing, so a setting that it forgets can be taken away.
func TestEveryRecordedSettingCanBeLoosenedOrIsHarmless(t *testing.T) {
	harmless := map[string]string{
		"execution.preferredActor": "a bias, never a lock",
		"integrations.selection":   "an order gives nobody a right",
	}
	format.Walk(func(key string, k *format.Key) {
		path, err := strict.ParsePath(key)
		if err != nil || !isRecorded(path) || k.Type == format.Object || len(path) > 2 || strings.Contains(key, "[") {
			return // what is inside a list or a map belongs to it
		}
		found := slices.ContainsFunc(loosening, func(c struct{ name, from, to, want string }) bool { return strings.HasPrefix(c.want, key) })
		if found == (harmless[key] != "") {
			t.Errorf("%s: Loosened has a rule for it: %v; it is harmless: %q. It must be one of the two", key, found, harmless[key])
		}
		delete(harmless, key)
	})
	if len(harmless) > 0 {
		t.Errorf("these are no recorded settings: %v", harmless)
	}
}

func TestWhatRunsSomethingNeverComesFromTheDatabase(t *testing.T) {
	for key, value := range map[string]string{
		"workspace.setup": `[{"name":"x","run":"true"}]`, "workspace": `{"teardown":[{"name":"x","run":"true"}]}`,
		"providers": `{"p":{"type":"exec","run":"true"}}`, "providers.p": `{"type":"exec","run":"true"}`,
		"notifications.channels": `[{"type":"exec","target":"true"}]`,
	} {
		if _, err := SetDB(nil, key, value); err == nil || !strings.Contains(err.Error(), "count from the file of the machine that runs them") {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := SetDB(nil, "workspace", `{"strategy":"worktree"}`); err != nil {
		t.Error(err)
	}
	db, left, err := FromFile(FileName, []byte(recordFile))
	if err != nil || strings.Contains(string(db), "setup") || !slices.Equal(left, []string{"workspace.setup"}) {
		t.Errorf("%s %v %v", db, left, err)
	}
	e, err := mustLoad(t, `{"version":1,"project":"demo"}`).For("demo", []byte(`{"workspace":{"setup":[{"name":"x","run":"evil"}]}}`))
	if err != nil || len(e.Workspace.Setup) != 0 {
		t.Errorf("%+v %v", e, err)
	}
}

func TestTheRecordKnowsWhereItsGatesRun(t *testing.T) {
	stored := Stored{Record: []byte(`{"gates":{"checked":["$ make"],"ship":["$ make dist"],"typed":["log"]}}`), At: "2026-01-01T00:00:00Z", Dir: "lib"}
	stored.DB = []byte(`{"gates":{"ship":["$ make dist"]}}`) // a gate of the database runs nowhere in particular
	e, err := mustLoad(t, `{"version":1,"project":"other"}`).ForStored("demo", stored)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"checked": "lib"}, e.GateDirs); diff != "" {
		t.Errorf("the gates run elsewhere (-want +got):\n%s", diff)
	}
}

// What a file says about the base decides nothing where the record declares a human; and leaving a human out loosens nothing.
func TestTheRecordNamesTheBaseWhereItDeclaresAHuman(t *testing.T) {
	record := `{"actors":[{"name":"ann","kind":"human"},{"name":"bot","kind":"agent"}],"branch":{"base":"main"}}`
	for _, c := range []struct {
		name, record, file, base string
		warns, loosens           bool
	}{
		{"another base", record, `"actors":[{"name":"ann","kind":"human"},{"name":"bot","kind":"agent"}],"branch":{"base":"mine"}`, "main", true, false},
		{"the same", record, `"actors":[{"name":"ann","kind":"human"},{"name":"bot","kind":"agent"}],"branch":{"base":"main"}`, "main", false, false},
		{"a human left out", record, `"actors":[{"name":"bot","kind":"agent"}],"branch":{"base":"main"}`, "main", true, false},
		{"a human made", record, `"actors":[{"name":"ann","kind":"human"},{"name":"bot","kind":"human"}],"branch":{"base":"main"}`, "main", true, true},
		{"no human", `{"branch":{"base":"main"}}`, `"branch":{"base":"mine"}`, "mine", false, false},
	} {
		e, err := mustLoad(t, `{"version":1,"project":"demo",`+c.file+`}`).ForStored("demo", Stored{Record: []byte(c.record), File: filePath, At: "2026-01-02T03:04:05.000Z"})
		if err != nil {
			t.Fatal(err)
		}
		said := e.Disputed([]string{"ann", "bot"})
		loosens := slices.ContainsFunc(said, func(w Warning) bool { return w.Loosens })
		if e.BaseInForce() != c.base || len(said) > 0 != c.warns || loosens != c.loosens {
			t.Errorf("%s: base %q, %v", c.name, e.BaseInForce(), said)
		}
	}
}
