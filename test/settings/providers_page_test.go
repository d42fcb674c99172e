package settings

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tasker/internal/app"
	"tasker/internal/config"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/env/provider"
)

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section returns what stands under a heading of the page.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(page(t), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/providers.md has no heading %q", heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

var code = regexp.MustCompile("`([^`]+)`")

// table returns the names in the first column of a table of a section.
func table(text, heading string) []string {
	_, rest, _ := strings.Cut(text, "\n| "+heading+" | |\n|---|---|\n")
	rows, _, _ := strings.Cut(rest, "\n\n")
	var names []string
	for row := range strings.SplitSeq(rows, "\n") {
		if cells := strings.SplitN(row, "|", 3); len(cells) == 3 {
			for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
				names = append(names, m[1])
			}
		}
	}
	slices.Sort(names)
	return names
}

func TestThePageSaysWhatEachProviderReads(t *testing.T) {
	if got := table(section(t, "What applies to all"), "option"); !slices.Equal(got, provider.CommonOptions) {
		t.Errorf("the page gives all of them the options %q, and they have %q", got, provider.CommonOptions)
	}
	for _, k := range app.ProviderKinds() {
		text := section(t, k.Type)
		if got := table(text, "key"); !slices.Equal(got, slices.Sorted(slices.Values(k.Keys))) {
			t.Errorf("the page gives %s the keys %q, and it has %q", k.Type, got, k.Keys)
		}
		if got := table(text, "option"); !slices.Equal(got, slices.Sorted(slices.Values(k.Options))) {
			t.Errorf("the page gives %s the options %q, and it has %q", k.Type, got, k.Options)
		}
	}
}

var example = regexp.MustCompile("(?s)\n```json\n(.*?)\n```\n")

func TestEveryExampleOfThePageIsAccepted(t *testing.T) {
	types := map[string]bool{}
	for _, m := range example.FindAllStringSubmatch(page(t), -1) {
		text := m[1]
		if !strings.Contains(text, `"version"`) {
			text = `{"version": 1, "project": "shop", "workspace": {"providers": ["it"]}, "providers": {"it": ` + text + `}}`
		}
		chain, err := app.Providers(load(t, text))
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		for _, n := range chain {
			types[n.Type] = true
		}
	}
	if len(types) != len(app.ProviderKinds()) {
		t.Errorf("the page has examples only of %v", slices.Sorted(maps.Keys(types)))
	}
}

func TestTheGrammarOfThePage(t *testing.T) {
	_, rest, _ := strings.Cut(section(t, "dotenv"), "\n```sh\n")
	text, _, _ := strings.Cut(rest, "\n```\n")
	var got []string
	for line := range strings.Lines(text) {
		vars := map[string]string{}
		if err := envtext.Parse(line, vars, func(string) (string, bool) { return "other", true }); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		got = slices.AppendSeq(got, maps.Values(vars))
	}
	if want := []string{"value", "a\nb", "as it is", "other/x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// load reads a text as the configuration file of a directory.
func load(t *testing.T, text string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := config.FromOS()
	if err != nil {
		t.Fatal(err)
	}
	o.Dir, o.Env = dir, nil
	loaded, err := config.Load(o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	eff, err := loaded.For("shop", nil)
	if err != nil {
		t.Fatal(err)
	}
	return eff.Config
}
