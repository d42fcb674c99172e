package config

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/config/format"
	"tasker/internal/fault"
)

const minimal = `{"version":1,"project":"demo"}`

func TestTheFileIsSearchedUpwards(t *testing.T) {
	o := with(map[string]string{filePath: minimal, "/.tasker.json": `{"version":1,"project":"root"}`}, nil)
	o.Dir = "/repo/a/b"
	l, err := Load(o)
	if err != nil || l.File != filePath || l.Project() != "demo" {
		t.Fatalf("%+v %v", l, err)
	}
	got, err := Paths(o)
	want := []Candidate{
		{Path: "/repo/a/b/.tasker.json", Layer: format.FileLayer}, {Path: "/repo/a/.tasker.json", Layer: format.FileLayer},
		{Path: filePath, Layer: format.FileLayer, Exists: true, Used: true}, {Path: localPath, Layer: format.LocalLayer},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if l, err := Load(with(nil, nil)); err != nil || l.File != "" || l.Project() != "" {
		t.Errorf("without a file: %+v %v", l, err)
	}
}

func TestAVariableOrFlagNamesTheFileDirectly(t *testing.T) {
	files := map[string]string{
		filePath: minimal, "/etc/t.json": `{"version":1,"project":"named"}`, "/etc/.tasker.local.json": `{"branch":{"base":"dev"}}`,
		"/repo/sub/x.json": `{"version":1,"project":"flag"}`,
	}
	env := map[string]string{"TASKER_CONFIG": "/etc/t.json"}
	if e := mustFor(t, with(files, env), ""); e.Project != "named" || e.Branch.Base != "dev" {
		t.Errorf("%+v", e.Config)
	}
	o := with(files, env)
	o.File = "sub/x.json"
	if l, err := Load(o); err != nil || l.Project() != "flag" || l.File != "/repo/sub/x.json" {
		t.Errorf("--config does not override the variable: %+v %v", l, err)
	}
	e := refusal(t, with(files, map[string]string{"TASKER_CONFIG": "/etc/none.json"}))
	if !strings.Contains(e.Message, "TASKER_CONFIG") || !strings.Contains(e.Message, "/etc/none.json") {
		t.Error(e.Message)
	}
	o = with(files, nil)
	o.File = "none.json"
	if e := refusal(t, o); !strings.Contains(e.Message, "--config") || !strings.Contains(e.Message, "/repo/none.json") {
		t.Error(e.Message)
	}
	if e := refusal(t, with(map[string]string{"/etc/": ""}, map[string]string{"TASKER_CONFIG": "/etc"})); !strings.Contains(e.Message, "directory") {
		t.Error(e.Message)
	}
}

func TestTheLocalFile(t *testing.T) {
	load := func(local string) Options { return with(map[string]string{filePath: minimal, localPath: local}, nil) }
	if e := mustFor(t, load(`{"$schema":1,"version":1,"branch":{"base":"dev"}}`), ""); e.Branch.Base != "dev" {
		t.Error("a local file that names its version is refused")
	}
	if e := mustFor(t, load(`{}`), ""); len(e.Notices) != 0 {
		t.Error("a local file without version is taken for the old shape")
	}
	if e := refusal(t, load("{\n\"project\":\"x\"}")); !strings.Contains(e.Message, localPath+":2:1: project: project cannot be declared in .tasker.local.json") {
		t.Error(e.Message)
	}
	if e := refusal(t, load(`{"version":2}`)); !strings.Contains(e.Hint, "tasker upgrade") {
		t.Error(e.Hint)
	}
	both := refusal(t, with(map[string]string{filePath: `{"version":1,"project":"demo","x":1}`, localPath: `{"y":1}`}, map[string]string{"TASKER_BUDGET": "z"}))
	if len(both.Missing) != 3 || !strings.HasPrefix(both.Missing[0], filePath) || !strings.HasPrefix(both.Missing[1], localPath) ||
		!strings.HasPrefix(both.Missing[2], "TASKER_BUDGET: ") {
		t.Errorf("want the faults of all layers at once, got %q", both.Missing)
	}
}

func TestKeysRequiredWithinAnObjectMayComeFromTheLayerBelowTheLocalFile(t *testing.T) {
	files := map[string]string{filePath: place("workspace.ports.range", "[1, 9]"), localPath: `{"workspace":{"ports":{"perTask":2}}}`}
	if e := mustFor(t, with(files, nil), ""); e.Workspace.Ports.PerTask != 2 || e.Workspace.Ports.Range != [2]int{1, 9} {
		t.Errorf("%+v", e.Workspace.Ports)
	}
	for _, local := range []string{`{"workspace":{"ports":{"perTask":2}}}`, `{"providers":{"p":{"env":"x"}}}`, `{"actors":[{"name":"a"}]}`} {
		if e := refusal(t, with(map[string]string{filePath: minimal, localPath: local}, nil)); len(e.Missing) != 1 || !strings.Contains(e.Message, "required") {
			t.Errorf("%s: %s", local, e.Missing)
		}
	}
	faulty := `{"version":1,"project":"demo","providers":{"p":{"env":"x"}}}`
	if e := refusal(t, with(map[string]string{filePath: faulty, localPath: `{"branch":{}}`}, nil)); len(e.Missing) != 1 {
		t.Errorf("want one fault for what the file lacks, got %q", e.Missing)
	}
	files[localPath] = `{"workspace":{"setup":[{"name":"a"}]}}`
	files[filePath] = place("workspace.setup[].name", `"a"`)
	_ = refusal(t, with(files, nil)) // arrays are replaced as a whole, so their elements must be complete
}

func TestInAWorktreeTheMainCheckoutsLocalFileCountsWhereThereIsNone(t *testing.T) {
	layer := map[string]string{
		"/wt/sub/.tasker.json":       minimal,
		"/wt/.git":                   "gitdir: /repo/.git/worktrees/wt\n",
		"/repo/.git/":                "",
		"/repo/.git/worktrees/wt/":   "",
		"/repo/sub/" + LocalName:     `{"branch":{"base":"main-checkout"}}`,
		"/repo/.git/worktrees/wt/hd": "",
	}
	load := func(extra map[string]string) string {
		files := map[string]string{}
		for _, m := range []map[string]string{layer, extra} {
			for k, v := range m {
				files[k] = v
			}
		}
		o := with(files, nil)
		o.Dir = "/wt/sub"
		return mustFor(t, o, "").Branch.Base
	}
	common := map[string]string{"/repo/.git/worktrees/wt/commondir": "../..\n"}
	if got := load(common); got != "main-checkout" {
		t.Errorf("base %q", got)
	}
	common["/wt/sub/"+LocalName] = `{"branch":{"base":"own"}}`
	if got := load(common); got != "own" {
		t.Errorf("base %q, want that of the worktree's own file", got)
	}
	if got := load(nil); got != "" {
		t.Errorf("base %q, want none: without commondir it is a submodule", got)
	}
	if got := load(map[string]string{"/wt/.git": "gitdir: /bare.git/worktrees/wt", "/bare.git/worktrees/wt/commondir": "/bare.git",
		"/sub/" + LocalName: `{"branch":{"base":"wrong"}}`}); got != "" {
		t.Errorf("base %q, want none: a bare repository has no main checkout", got)
	}
	if got := load(map[string]string{"/wt/.git": "nonsense"}); got != "" {
		t.Errorf("base %q", got)
	}
}

// The same with a worktree that git itself made.
func TestAWorktreeThatGitMade(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "main")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(main, FileName), minimal)
	write(filepath.Join(main, LocalName), `{"branch":{"base":"from-main"}}`)
	for _, args := range [][]string{
		{"init", "-q"}, {"add", FileName},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "begin"}, {"worktree", "add", "-q", filepath.Join(dir, "wt")},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = main
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	o, err := FromOS()
	if err != nil {
		t.Fatal(err)
	}
	o.Dir, o.Env = filepath.Join(dir, "wt"), nil
	if e := mustFor(t, o, ""); e.Branch.Base != "from-main" {
		t.Errorf("base %q", e.Branch.Base)
	}
}

// A link to a file that is missing is not passed over in favour of a file further up.
func TestALinkToNothingIsAFault(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(minimal), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("missing.json", filepath.Join(below, FileName)); err != nil {
		t.Fatal(err)
	}
	o, err := FromOS()
	if err != nil {
		t.Fatal(err)
	}
	o.Dir, o.Env = below, nil
	if e := refusal(t, o); e.Kind != fault.Invalid || !strings.HasSuffix(e.Message, "below/"+FileName+" is a link to a file that is not there") {
		t.Errorf("%v: %s", e.Kind, e.Message)
	}
}

func TestAnotherVersionIsRefusedWhole(t *testing.T) {
	for _, v := range []string{"2", "0", "-1", "1.5", "1e400", "99999999999999999999"} {
		e := refusal(t, one(`{"project":"demo","nonsense":1,"version":`+v+`}`))
		if len(e.Missing) != 1 || !strings.Contains(e.Message, "version "+v) || !strings.Contains(e.Hint, "tasker upgrade") {
			t.Errorf("%s: %q, hint %q", v, e.Missing, e.Hint)
		}
	}
	for _, v := range []string{"1", "1.0", "10e-1"} {
		mustFor(t, one(`{"project":"demo","version":`+v+`}`), "")
	}
}

func TestAFileWithoutVersionIsThePreVersionedShape(t *testing.T) {
	text := `{"$schema":"s","project":"demo","verison":1,"gates":{"a":[]},"legacy":{"x":1},"integrations":{"selection":["age"]},` +
		`"agentDefaults":{"lease":"nonsense"}}`
	l, err := Load(one(text))
	if err != nil {
		t.Fatal(err)
	}
	e := mustFor(t, one(text), "")
	if !l.old || e.Project != "demo" || len(e.Gates) != 0 || len(e.Integrations.Selection) != 1 || e.AgentDefaults.Lease.Hours() != 2 {
		t.Errorf("%+v", e.Config)
	}
	want := filePath + " has no version and is read as the pre-versioned shape: only project, integrations and notices count; " +
		"ignored: verison (did you mean version?), gates, legacy, agentDefaults; bring it to version 1 with: tasker config migrate --write"
	if diff := cmp.Diff([]string{want}, l.Notices); diff != "" {
		t.Error(diff)
	}
	off := `{"project":"demo","notices":{"deprecations":false}}`
	if l, _ := Load(one(off)); len(l.Notices) != 0 {
		t.Error("notices.deprecations false does not turn the notice off")
	}
	if l, _ := Load(with(map[string]string{filePath: `{"project":"demo"}`, localPath: `{"notices":{"deprecations":false}}`}, nil)); len(l.Notices) != 0 {
		t.Error("a local file does not turn the notice off")
	}
	if e := mustFor(t, one(`{"project":"demo"}`), `{"notices":{"deprecations":false}}`); len(e.Notices) != 0 {
		t.Error("the db layer does not turn the notice off")
	}
	r, err := Validate(one(text), FileName)
	if err != nil || !r.Valid || len(r.Notices) != 1 {
		t.Errorf("validate does not pass the file with a notice: %+v %v", r, err)
	}
	_ = refusal(t, one(`{"project":"demo","integrations":{"selektion":[]}}`)) // what is read is read strictly
	_ = refusal(t, one(`{}`))
	if e := mustFor(t, one(minimal), ""); len(e.Notices) != 0 {
		t.Error("a file of version 1 gives a notice")
	}
}

func TestValidateOneFile(t *testing.T) {
	o := with(map[string]string{
		filePath:         place("workspace.ports.range", "[1, 9]"),
		localPath:        `{"workspace":{"ports":{"perTask":2},"providers":["ghost"]}}`,
		"/repo/bad.json": `{"version":1,"project":"demo","gate":1}`,
	}, map[string]string{"TASKER_BUDGET": "nonsense"})
	r, err := Validate(o, LocalName)
	if err != nil || !r.Valid || r.Err() != nil || len(r.Warnings) != 1 ||
		r.Warnings[0].String() != localPath+`:1: workspace.providers[0]: the provider "ghost" is defined in no layer` {
		t.Errorf("%+v %v", r, err)
	}
	if r, err = Validate(o, "bad.json"); err != nil || r.Valid || len(r.Faults) != 1 || !fault.Is(r.Err(), fault.Invalid) {
		t.Errorf("%+v %v", r, err)
	}
	if _, err = Validate(o, "none.json"); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "/repo/none.json") {
		t.Error(err)
	}
}

func TestWarningsLookAtAllLayersTogether(t *testing.T) {
	text := `{"version":1,"project":"demo",
	"execution":{"reviewPolicy":{"release":[],"ghost":[]}},
	"workspace":{"providers":["p","q"],"ports":{"range":[1,2],"perTask":3}},
	"providers":{"p":{"type":"exec"}},
	"branch":{"template":"{slug}"},
	"integrations":{"issue_tracker":{"statusMap":{"open":"Todo","closed":"Done"}}},
	"notifications":{"channels":[{"type":"webhook","target":"nope","events":["reviews"]}]}}`
	e := mustFor(t, with(map[string]string{filePath: text, localPath: `{"providers":{"q":{"type":"dotenv"}}}`}, nil), `{"gates":{"release":["x"]}}`)
	var got []string
	for _, w := range e.Warnings {
		got = append(got, strings.TrimPrefix(w.String(), filePath+":"))
	}
	want := []string{
		`4: providers.p: a provider of type exec does nothing without run`,
		`3: workspace.ports.perTask: 3 ports per task do not fit in a range of 2`,
		`5: branch.template: without {id} two tasks can end up on the same branch`,
		`7: notifications.channels[0].target: "nope" is not an http or https address`,
		`6: integrations.issue_tracker.statusMap.closed: "closed" means nothing here; known are open, in_progress, in_review, done, cancelled`,
		`7: notifications.channels[0].events[0]: "reviews" means nothing here; known are approval_requested, verification_requested, review, ` +
			`blocking_question, question, divergence, override, lease_expired, stalled, unheld, failing, runner, sync_failed; did you mean review?`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	chain, err := e.ProviderChain()
	if err != nil || len(chain) != 2 || chain[1].Name != "q" || chain[1].Type != "dotenv" {
		t.Errorf("%+v %v", chain, err)
	}
	if _, err := mustFor(t, one(text), "").ProviderChain(); !fault.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), `workspace.providers[1] names the provider "q"`) {
		t.Errorf("want a fault where an undefined provider is used, got %v", err)
	}
}

func TestCommandsListsEveryCommandWithFileAndLine(t *testing.T) {
	text := `{"version":1,"project":"demo",
	"workspace":{"setup":[{"name":"a","run":"make deps"}],
	  "teardown":[{"name":"b","run":"make clean"}]},
	"providers":{"p":{"type":"exec",
	   "run":"printenv"},"d":{"type":"dotenv","run":"not run"},"g":{"type":"gitenv"},"o":{"type":"secrets_c"}},
	"notifications":{"channels":[{"type":"webhook","target":"https://x.example"},{"type":"exec","target":"say it"}]}}`
	var got []string
	for _, c := range Commands(mustFor(t, one(text), "")) {
		line := "-"
		if c.Line != nil {
			line = strings.Repeat("|", *c.Line)
		}
		got = append(got, c.Key+" "+string(c.Layer)+" "+line+" "+c.Command)
	}
	want := []string{
		"workspace.setup[0].run file || make deps", "workspace.teardown[0].run file ||| make clean",
		"providers.p.run file ||||| printenv", "providers.g.type file ||||| git show", "providers.o.type file ||||| op",
		"notifications.channels[1].target file |||||| say it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
