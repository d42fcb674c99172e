package hints

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/optest"
	"tasker/test/program"
)

// refusal is one refusal as each face provokes it. {p} is the slug of a project made for it with smallPlan, and {id} is
// what the last step of its setup answered.
type refusal struct {
	name      string
	at        int      // where: plain, human or sessions
	as        string   // who calls; robot by default
	setup     []string // requests that must succeed: [ACTOR] METHOD PATH [BODY]; or run: COMMAND
	command   string   // empty: the command line cannot provoke it
	request   string   // METHOD PATH [@Header:value …] [BODY]
	tool      string   // NAME [ARGUMENTS]
	own       *ownPlace
	says      []string // what the hint says on every face
	backwards bool     // the first call of the hint would undo the second
	cured     bool     // the same call is no longer refused for this reason once the hint is carried out
}

// ownPlace is a directory that only one refusal uses, with an environment of its own. In its contents, and in every step
// and call, {dir} is its path, {url} and {ann} are servers, {port} is the port of the first and {tasker} the program.
type ownPlace struct {
	files  map[string]string // by path; a path that ends in / is a directory, and a text that begins with -> is a link
	git    bool              // it is a repository with one commit of what it holds
	steps  []string          // in it, before the call: lines for the shell, which must succeed
	env    []string
	asText bool // without --json
}

var tasker string

func TestMain(m *testing.M) { os.Exit(program.Main(m, func(path string) { tasker = path })) }

// The languages, as they appear in hints. What has no route or tool is named as a command, in backquotes.
var (
	asCommand = regexp.MustCompile("tasker [a-z][^;,()`]*")
	asRequest = regexp.MustCompile(`(GET|POST) (/v1/[^\s;,()]*)(?: (\{.*?\})(?:[;,) ]|$))?`)
	asTool    = regexp.MustCompile(`(tasker_[a-z_]+)(?: (\{.*?\})(?:[;,) ]|$))?`)
	named     = regexp.MustCompile("the command `(tasker [^`]+)`")
	flagged   = regexp.MustCompile(`(^|[ (])(--[a-z]|-p\b)`)
)

// unending are commands that do not end.
var unending = regexp.MustCompile(`^tasker (serve|mcp|events --follow)\b`)

// face is one of the three faces that refuse.
type face struct {
	name  string
	of    func(refusal) string
	do    func(p *place, t *testing.T, actor, call string) answer
	bad   []*regexp.Regexp // the languages of the others
	calls *regexp.Regexp
}

var faces = []face{
	{"command", func(r refusal) string { return r.command }, (*place).command, []*regexp.Regexp{asRequest, regexp.MustCompile(`tasker_`)}, asCommand},
	{"http", func(r refusal) string { return r.request }, (*place).request, []*regexp.Regexp{asCommand, regexp.MustCompile(`tasker_`), flagged}, asRequest},
	{"tool", func(r refusal) string { return r.tool }, (*place).tool, []*regexp.Regexp{asCommand, asRequest, flagged}, asTool},
}

// findings is what the walk heard: the refusals of both databases, and the operations whose calls were carried out.
type findings struct {
	sync.Mutex
	answers []answer
	ops     map[string]bool
}

func TestEveryHintSpeaksTheLanguageOfItsFaceAndCanBeCarriedOut(t *testing.T) {
	heard := &findings{ops: map[string]bool{}}
	t.Run("walk", func(t *testing.T) {
		dbtest.Each(t, func(t *testing.T, db string) {
			t.Parallel()
			w := newWorld(t, db)
			t.Run("answers", w.answers)
			all := slices.Concat(refusals, nextToHumans, inDirectories)
			switch postgres := strings.HasPrefix(db, "postgres"); {
			case !postgres: // independent of the database: the machine makes workspaces, and reads commands
				all = slices.Concat(all, inWorkspaces, typed)
			case os.Getenv("TASKER_TEST_LONG") == "": // hints are made above the databases
				all = nil
			}
			for i, r := range all {
				for _, f := range faces {
					if f.of(r) != "" {
						t.Run(r.name+"/"+f.name, func(t *testing.T) { w.walk(t, r, f, fmt.Sprintf("p%d%s", i, f.name), heard) })
					}
				}
			}
		})
	})
	for name, c := range optest.Hints() {
		if c.Op != "" && !heard.ops[c.Op] && notCarriedOut[c.Op] == "" {
			t.Errorf("no refusal of the walk names %s (hint.%s), and nothing says why", c.Op, name)
		}
	}
	checkSites(t, heard.answers)
}

// walk provokes one refusal on one face and carries out what its hint says.
func (w *world) walk(t *testing.T, r refusal, f face, slug string, heard *findings) {
	p, actor := w.places[r.at], "robot"
	if r.as != "" {
		actor = r.as
	}
	in := p.replacer(slug, "")
	if r.own != nil {
		p = p.apart(t, r.own, in)
	}
	in = p.replacer(slug, p.prepare(t, slug, r.setup))
	if r.own != nil {
		p.shell(t, r.own.steps, in)
	}
	call := in.Replace(f.of(r))
	got := f.do(p, t, actor, call)
	if !got.failed {
		t.Fatalf("%s is not refused: %.300s", call, got.raw)
	}
	heard.Lock()
	heard.answers = append(heard.answers, got)
	heard.Unlock()
	t.Logf("%s: %s: %s", call, got.message, got.hint)
	for _, want := range r.says {
		if want = in.Replace(want); !strings.Contains(got.hint, want) {
			t.Errorf("the hint does not say %q: %s", want, got.hint)
		}
	}
	for _, m := range got.missing {
		if f.name != "http" && strings.HasPrefix(m, "query parameter ") {
			t.Errorf("what is missing is named as a route has it: %q", m)
		}
	}
	if r.at == human && r.as == "" && r.own == nil {
		checkForAgent(t, got)
	}
	own := named.ReplaceAllString(got.hint, "")
	for _, bad := range f.bad {
		if bad.MatchString(own) {
			t.Errorf("another face's language (%s): %s", bad, got.hint)
		}
	}
	said := f.calls.FindAllString(own, -1)
	if strings.HasPrefix(own, "did you mean") { // the beginning of a command
		said = nil
	}
	if f.name == "command" && strings.HasPrefix(call, "-p ") {
		for _, one := range said {
			if !strings.Contains(one, slug) && strings.HasPrefix(one, "tasker list") {
				t.Errorf("%s leaves out -p %s", one, slug)
			}
		}
	}
	if r.backwards {
		slices.Reverse(said)
	}
	for _, one := range said {
		carryOut(t, p, f.do, actor, one, slug, heard)
	}
	for _, m := range named.FindAllStringSubmatch(got.hint, -1) {
		carryOut(t, p, (*place).command, actor, m[1], slug, heard)
	}
	if r.cured {
		if again := f.do(p, t, actor, call); again.failed && again.message == got.message {
			t.Errorf("after carrying out the hint the call is still refused: %s (%s)", again.message, got.hint)
		}
	}
}

// answers checks answers that are not refusals but still say what to do: each face says it in its own language.
func (w *world) answers(t *testing.T) {
	p := w.places[plain]
	p.prepare(t, "advice", []string{`POST /v1/tasks/advice-1/notes {"text":"so that there is something to leave out"}`})
	explained := map[string]answer{
		"http": p.request(t, "robot", "GET /v1/tasks/advice-1/explain"), "tool": p.tool(t, "", `tasker_show {"id":"advice-1","explain":true}`),
	}
	for face, want := range map[string]string{
		"http": `tick each criterion once it is true (POST /v1/tasks/advice-1/criteria {\"indexes\":[1,2]})`,
		"tool": `tick each criterion once it is true (tasker_check {\"id\":\"advice-1\",\"indexes\":[1,2]})`,
	} {
		if got := explained[face].raw; !strings.Contains(got, want) || strings.Contains(named.ReplaceAllString(got, ""), "tasker check") {
			t.Errorf("%s does not say %s: %s", face, want, got)
		}
	}
	// The call that fetches a part of a bundle is a request over HTTP, and a tool call in tools.
	cut := p.request(t, "robot", "GET /v1/tasks/advice-1?budget=1").raw
	if want := `"command":"GET /v1/events?kind=note.added&task=advice-1"`; !strings.Contains(cut, want) {
		t.Errorf("the route does not say %s: %s", want, cut)
	}
	cut = p.tool(t, "", `tasker_show {"id":"advice-1","budget":1}`).raw
	if want := `"command":"tasker_events {\"task\":\"advice-1\",\"kind\":\"note.added\"}"`; !strings.Contains(cut, want) {
		t.Errorf("the tool does not say %s: %s", want, cut)
	}
}

// carryOut does what a hint says, with the gaps filled in. It may be declined, but not because of its form.
func carryOut(t *testing.T, p *place, do func(p *place, t *testing.T, actor, call string) answer, actor, call, slug string, heard *findings) {
	t.Helper()
	call = strings.TrimRight(strings.TrimSpace(call), " ;,)?")
	heard.note(call)
	if strings.HasPrefix(call, "tasker server") || strings.HasPrefix(call, "tasker config validate") {
		return // the first is not a command, the second is for after the file is corrected
	}
	if strings.Contains(call, "apply") || strings.Contains(call, "[flags]") || unending.MatchString(call) {
		return // the caller fills in a plan or a form of a command; package cli reads these as commands
	}
	call = strings.NewReplacer(
		" ID", " "+slug+"-1", " SLUG", " "+slug, "/ID", "/"+slug+"-1", `"ID"`, `"`+slug+`-1"`, "{slug}", slug,
		" -- CMD", " -- true", " TEXT", " words", " TITLE", " words", " WORDS", " words", `"SLUG"`, `"`+slug+`"`, "NAME", "someone",
	).Replace(call)
	if call, ok := strings.CutPrefix(call, "tasker "); ok { // the words after the command belong to the sentence
		call = regexp.MustCompile(` (lists|list|renews|numbers|has|shows|says|tells|and|prints) .*| (has|lists|makes|shows|explains) ?.*$`).ReplaceAllString(call, "")
		do, call = (*place).command, "tasker "+call
		if got := do(p, t, actor, call); got.usage {
			t.Errorf("the hint names %s, which is refused: %s", call, got.message)
		}
		return
	}
	if got := do(p, t, actor, call); got.usage {
		t.Errorf("the hint names %s, which is refused: %s", call, got.message)
	}
}

// note remembers which operation a call is.
func (h *findings) note(call string) {
	h.Lock()
	defer h.Unlock()
	for _, c := range optest.Hints() {
		first, _, _ := strings.Cut(c.Command, " ")
		if c.Op != "" && (strings.HasPrefix(call, "tasker "+first+" ") || call == "tasker "+c.Command) {
			h.ops[c.Op] = true
		}
	}
}

// checkSites matches what was heard with the positions that make refusals. Each is walked, or listed with a reason;
// nothing is listed that was walked or that does not exist.
func checkSites(t *testing.T, answers []answer) {
	all, reasons := sites(t), notWalked()
	walked := map[string]bool{}
	for _, a := range answers {
		for _, s := range matching(all, a) {
			walked[s.String()] = true
		}
		if inner := ofProvider.ReplaceAllString(a.message, ""); inner != a.message {
			a.message = inner
			for _, s := range matching(all, a) {
				walked[s.String()] = true
			}
		}
	}
	there := map[string]bool{}
	for _, s := range all {
		there[s.String()] = true
		reason, listed := reasons[s.String()]
		switch {
		case walked[s.String()] && listed:
			t.Errorf("%s is walked, and listed as not walked", s)
		case !walked[s.String()] && !listed:
			t.Errorf("%s: no refusal of the walk is this, and no reason is given: %q: %q,", s.at, s, suggest(s, all))
		case listed:
			if why := untrue(s, all, reason); why != "" {
				t.Errorf("%s is not walked because of %q: %s", s, reason, why)
			}
		}
	}
	for name := range reasons {
		if !there[name] {
			t.Errorf("%s is listed, and no source makes that refusal", name)
		}
	}
}

// matching returns the positions whose words an answer has: the most certain ones.
func matching(all []site, a answer) (out []site) {
	best := 0
	for _, s := range all {
		message, certain := pattern(s.message)
		if !message.MatchString(a.message) || s.message == "%s" {
			continue
		}
		if s.hint != "" && s.hint != "…" && s.hint != "%s" {
			hint, more := pattern(s.hint)
			if !hint.MatchString(cmp.Or(a.hint, behind(a.message, message))) {
				continue
			}
			certain += more
		}
		if certain > best {
			best, out = certain, nil
		}
		if certain == best {
			out = append(out, s)
		}
	}
	return out
}

// behind returns what follows the words of a refusal in a message. A refusal for want of a credential has its hint there.
func behind(message string, words *regexp.Regexp) string {
	return strings.TrimPrefix(message[words.FindStringIndex(message)[1]:], ": ")
}

// ofProvider is what every refusal of a provider begins with.
var ofProvider = regexp.MustCompile(`^the provider \S+ \(\S+\): (\S+ of \S+: )?`)

// untrue returns why a reason does not hold, as far as can be checked: a named file shows the words, and a hint that is
// said to name no call names none.
func untrue(s site, all []site, reason string) string {
	switch words := strings.HasPrefix(reason, "words: "); {
	case words && len(s.calls) > 0:
		return "its hint names calls: " + strings.Join(s.calls, ", ")
	case strings.HasPrefix(reason, "call: ") && len(s.calls) == 0:
		return "its hint names no call"
	case !words && !strings.HasPrefix(reason, "call: ") && !strings.HasPrefix(reason, "shown by "):
		return "that is not a kind of reason"
	}
	file, ok := strings.CutPrefix(reason, "shown by ")
	if !ok {
		return ""
	}
	src, err := os.ReadFile("../../" + file)
	if err != nil {
		return err.Error()
	}
	if words := fragment(s, all); words == "" || !strings.Contains(strings.ReplaceAll(string(src), `\`, ""), words) {
		return "it does not have the words " + words
	}
	return ""
}

// telling is how many characters of a refusal a test must contain to show it.
const telling = 8

// fragment returns the longest piece of a refusal that is always the same and is in no other refusal, or "" if none is
// long enough to identify it.
func fragment(s site, all []site) string {
	best := ""
	for _, part := range verb.Split(strings.ReplaceAll(s.message, "%%", "%"), -1) {
		part = strings.TrimSpace(part)
		other := func(o site) bool { return o.message != s.message && strings.Contains(o.message, part) }
		if len(part) >= telling && len(part) > len(best) && !slices.ContainsFunc(all, other) {
			best = part
		}
	}
	return best
}
