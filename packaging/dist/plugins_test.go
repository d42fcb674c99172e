package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tasker/internal/agent/setup"
)

// pluginFiles are the files that agents install, as SHA256SUMS lists them.
var pluginFiles = []string{
	"plugins/.claude-plugin/marketplace.json",
	"plugins/.plugin/marketplace.json",
	"plugins/claude/.claude-plugin/plugin.json",
	"plugins/claude/.mcp.json",
	"plugins/claude/hooks/hooks.json",
	"plugins/claude/skills/tasker/SKILL.md",
	"plugins/copilot/.mcp.json",
	"plugins/copilot/hooks.json",
	"plugins/copilot/plugin.json",
	"plugins/copilot/skills/tasker/SKILL.md",
	"plugins/gemini/GEMINI.md",
	"plugins/gemini/gemini-extension.json",
	"plugins/gemini/hooks/hooks.json",
	"plugins/gemini/skills/tasker/SKILL.md",
}

// packed makes the plugins, the registry's entry and the npm package that starts the program, in the root of the source tree.
func packed(t *testing.T) (dir string) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	r := &release{version: "1.2.3", date: time.Unix(1_700_000_000, 0).UTC(), dir: t.TempDir()}
	var err error
	if r.by, err = readPublisher(publisherFile); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func([]string) error{r.npm, r.plugins, r.registry} {
		if err := step(nil); err != nil {
			t.Fatal(err)
		}
	}
	return r.dir
}

// Each file that a program reads has what its format requires and nothing that the format does not know. testdata/schemas.json has
// the names and forms of the formats as they are published.
func TestWhatAgentsInstallHasTheirFormats(t *testing.T) {
	schemas, err := jsonschema.UnmarshalJSON(strings.NewReader(text(t, "testdata", "schemas.json")))
	if err != nil {
		t.Fatal(err)
	}
	dir := packed(t)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for file, format := range map[string]string{
		"plugins/.claude-plugin/marketplace.json":   "marketplace",
		"plugins/.plugin/marketplace.json":          "marketplace",
		"plugins/claude/.claude-plugin/plugin.json": "claude-plugin",
		"plugins/claude/.mcp.json":                  "mcp-servers",
		"plugins/claude/hooks/hooks.json":           "claude-hooks",
		"plugins/copilot/.mcp.json":                 "mcp-servers",
		"plugins/copilot/hooks.json":                "copilot-hooks",
		"plugins/copilot/plugin.json":               "open-plugin",
		"plugins/gemini/gemini-extension.json":      "gemini-extension",
		"plugins/gemini/hooks/hooks.json":           "gemini-hooks",
		"server.json":                               "mcp-registry",
	} {
		if err := c.AddResource("test:"+file, schemas.(map[string]any)[format]); err != nil {
			t.Fatal(file, err)
		}
		schema, err := c.Compile("test:" + file)
		if err != nil {
			t.Fatal(file, err)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text(t, dir, file)))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The plugins have the hooks, the tools and the skill that setup writes, each for its own agent.
func TestPluginsHaveWhatSetupWrites(t *testing.T) {
	dir := filepath.Join(packed(t), "plugins")
	for agent, files := range map[string]map[string]string{
		"claude": {
			".mcp.json": ".mcp.json", "hooks/hooks.json": ".claude/settings.json", "skills/tasker/SKILL.md": ".claude/skills/tasker/SKILL.md",
		},
		"copilot": {
			".mcp.json": ".github/mcp.json", "hooks.json": ".github/hooks/tasker.json", "skills/tasker/SKILL.md": ".agents/skills/tasker/SKILL.md",
		},
		"gemini": {"skills/tasker/SKILL.md": ".agents/skills/tasker/SKILL.md", "GEMINI.md": "GEMINI.md"},
	} {
		parts, err := setup.Pack(agent)
		if err != nil {
			t.Fatal(err)
		}
		for file, part := range files {
			got, want := text(t, dir, agent, file), string(parts[part])
			if file == "hooks/hooks.json" { // in order
				got, want = canonical(t, got), canonical(t, want)
			}
			if got != want {
				t.Errorf("%s/%s is\n%s\nand setup writes\n%s", agent, file, got, want)
			}
		}
	}
	parts, err := setup.Pack("gemini")
	if err != nil {
		t.Fatal(err)
	}
	settings := member(t, string(parts[".gemini/settings.json"]))
	extension, hooks := member(t, text(t, dir, "gemini", "gemini-extension.json")), member(t, text(t, dir, "gemini", "hooks", "hooks.json"))
	if canonical(t, string(extension["mcpServers"])) != canonical(t, string(settings["mcpServers"])) || canonical(t, string(hooks["hooks"])) != canonical(t, string(settings["hooks"])) {
		t.Errorf("the extension has %s and %s, and setup writes %s", extension["mcpServers"], hooks["hooks"], parts[".gemini/settings.json"])
	}
	if guide := text(t, dir, "gemini", "GEMINI.md"); !strings.HasPrefix(guide, "## Tasks: tasker\n") || strings.Contains(guide, "<!--") {
		t.Errorf("the extension tells Gemini\n%s", guide)
	}
	var context string
	if err := json.Unmarshal(extension["contextFileName"], &context); err != nil || text(t, dir, "gemini", context) == "" {
		t.Errorf("the extension names the context %q: %v", context, err)
	}
}

// Each marketplace offers the plugin of the agent that reads it. Copilot CLI reads .plugin first.
func TestAMarketplaceOffersItsAgentsPlugin(t *testing.T) {
	dir := filepath.Join(packed(t), "plugins")
	for own, manifest := range map[string]string{".claude-plugin": "claude/.claude-plugin/plugin.json", ".plugin": "copilot/plugin.json"} {
		var market struct {
			Owner   struct{ Name string }
			Plugins []struct{ Name, Source, Version string }
		}
		if err := json.Unmarshal([]byte(text(t, dir, own, "marketplace.json")), &market); err != nil {
			t.Fatal(err)
		}
		var plugin struct {
			Name, Version string
			Author        struct{ Name string }
		}
		if err := json.Unmarshal([]byte(text(t, dir, manifest)), &plugin); err != nil {
			t.Fatal(err)
		}
		agent, _, _ := strings.Cut(manifest, "/")
		if len(market.Plugins) != 1 || market.Plugins[0].Source != "./"+agent || market.Plugins[0].Name != plugin.Name || market.Plugins[0].Version != "1.2.3" || plugin.Version != "1.2.3" {
			t.Errorf("%s/marketplace.json offers %+v, and the plugin is %+v", own, market.Plugins, plugin)
		}
		if market.Owner.Name != "tasker" || plugin.Author.Name != "tasker" { // as packaging/publisher.json has it
			t.Errorf("%s/marketplace.json is owned by %q, the plugin by %q", own, market.Owner.Name, plugin.Author.Name)
		}
	}
}

// The registry takes an entry only where the npm package names it.
func TestTheNpmPackageNamesTheRegistrysEntry(t *testing.T) {
	dir := packed(t)
	var entry struct {
		Name     string
		Packages []struct {
			Identifier, Version string
			PackageArguments    []struct{ Value string }
		}
	}
	if err := json.Unmarshal([]byte(text(t, dir, "server.json")), &entry); err != nil {
		t.Fatal(err)
	}
	var pkg struct{ Name, Version, McpName string }
	if err := json.Unmarshal([]byte(output(t, dir, "tar", "xzOf", "npm/tasker-1.2.3.tgz", "package/package.json")), &pkg); err != nil {
		t.Fatal(err)
	}
	if entry.Name != "com.example/tasker" || pkg.McpName != entry.Name || len(entry.Packages) != 1 {
		t.Fatalf("server.json %+v, package.json %+v", entry, pkg)
	}
	if p := entry.Packages[0]; p.Identifier != pkg.Name || p.Version != pkg.Version || len(p.PackageArguments) != 1 || p.PackageArguments[0].Value != "mcp" {
		t.Errorf("server.json %+v, package.json %+v", entry, pkg)
	}
}

func TestTheRegistryNamesByTheHome(t *testing.T) {
	for home, want := range map[string]string{
		"https://example.com/tasker":      "com.example/tasker",
		"https://tools.example.org:8443":  "org.example.tools/tasker",
		"https://github.com/acme/tasker/": "io.github.acme/tasker",
	} {
		if got, err := (publisher{Home: home}).mcpName(); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", home, got, err, want)
		}
	}
	if _, err := (publisher{Home: "tasker"}).mcpName(); err == nil || !strings.Contains(err.Error(), "not the address of a page") {
		t.Errorf("without a host: %v", err)
	}
}

func TestAPluginLosesNothingThatSetupWrites(t *testing.T) {
	if _, err := members([]byte(`{"hooks": {}, "env": {}}`), "hooks"); err == nil || !strings.Contains(err.Error(), `["env" "hooks"]`) {
		t.Error(err)
	}
}

func member(t *testing.T, text string) (all map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// canonical writes JSON with its members in order and without space.
func canonical(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
