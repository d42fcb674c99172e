package spec

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/internals/conformance.md")

// page is where a reader finds what is listed here.
var page = filepath.Join("..", "..", "docs", "internals", "conformance.md")

// section is a part of the specification, with its heading there.
type section struct {
	heading    string
	statements []statement
}

// statement is one thing that the specification says.
type statement struct {
	name  string // of the test
	says  string // in the specification's words
	test  func(*world)
	later string // what the statement waits for, if it is not built yet; a test then covers what exists

	// effects lists the tests of test/settings that show it: they fail if the configuration key changes nothing.
	effects []string
}

// sections are the specification, in its order.
var sections = []section{
	{"What the service does", service},
	{"Apply document", applyDocument},
	{"Task definition", taskDefinition},
	{"Apply rules", applyRules},
	{"Other records", otherRecords},
	{"Configuration file", configurationFile},
	{"Configuration fields", configurationFields},
	{"Configuration commands", configurationCommands},
	{"States and transitions", states},
	{"Reads", reads},
	{"Rules of reads", rulesOfReads},
	{"Writes", writes},
	{"Rules of writes", rulesOfWrites},
	{"Authentication", authentication},
	{"Events", events},
	{"Errors", errorAnswers},
	{"Limits", limits},
	{"Versioning", versioning},
}

func TestSpecification(t *testing.T) {
	t.Parallel()
	for _, s := range sections {
		t.Run(slug(s.heading), func(t *testing.T) {
			t.Parallel()
			for _, st := range s.statements {
				if st.test == nil {
					continue // the page lists it, with what it waits for
				}
				t.Run(st.name, func(t *testing.T) {
					t.Parallel()
					st.test(begin(t))
				})
			}
		})
	}
}

func TestEveryStatementIsListedOnceWithItsTest(t *testing.T) {
	t.Parallel()
	plain := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, s := range sections {
		seen := map[string]bool{}
		for _, st := range s.statements {
			switch {
			case !plain.MatchString(st.name):
				t.Errorf("%s: the name %q is not lower-case words joined by hyphens", s.heading, st.name)
			case seen[st.name]:
				t.Errorf("%s: two statements are named %s", s.heading, st.name)
			case st.says == "":
				t.Errorf("%s/%s does not say what the specification says", s.heading, st.name)
			case st.test == nil && st.later == "":
				t.Errorf("%s/%s has neither a test nor a reason why it waits", s.heading, st.name)
			}
			seen[st.name] = true
		}
	}
}

func TestTheConformancePageIsCurrent(t *testing.T) {
	t.Parallel()
	want := conformance()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/internals/conformance.md is not what the statements give: run go test ./test/spec -update")
	}
}

// conformance writes the page.
func conformance() string {
	var body strings.Builder
	held, partly, awaited := 0, 0, 0
	for _, s := range sections {
		fmt.Fprintf(&body, "\n## %s\n\n| statement | test | state |\n|---|---|---|\n", s.heading)
		for _, st := range s.statements {
			test, state := fmt.Sprintf("`%s/%s`", slug(s.heading), st.name), "holds"
			if len(st.effects) > 0 {
				test = "`settings/" + strings.Join(st.effects, "`, `settings/") + "`; its form: " + test
			}
			switch {
			case st.test == nil:
				test, state = "", "not built yet: "+st.later
				awaited++
			case st.later != "":
				state = "in part; not built yet: " + st.later
				partly++
			default:
				held++
			}
			fmt.Fprintf(&body, "| %s | %s | %s |\n", cell(st.says), cell(test), state)
		}
	}
	return fmt.Sprintf(`<!-- Generated from the statements in test/spec: go test ./test/spec -update -->
# Conformance

What the interface specification says, statement by statement, and the test that shows it. The tests run the built program:

    go test ./test/spec -run 'TestSpecification/apply-rules/dry-run'

What a key of the configuration changes is tried with the key and without it, and with the key in one layer above another. The names
of these tests begin with `+"`settings/`"+`, and they run the commands of the program in one process:

    go test ./test/settings -run 'TestEveryKeyChangesWhatItSays/execution.preferredActor'

%d statements: %d hold, %d hold in part, %d wait for what is not built yet.
`, held+partly+awaited, held, partly, awaited) + body.String()
}

// cell makes text fit for a table cell.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(text)
}

func slug(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}
