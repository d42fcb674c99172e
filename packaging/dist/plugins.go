package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"tasker/internal/agent/setup"
)

// plugins makes what agents install in one step, from what `tasker setup` writes for each: a plugin for Claude Code, one in the
// open format for Copilot CLI, an extension for Gemini CLI, and the files by which a directory of plugins is a marketplace.
func (r *release) plugins([]string) error {
	manifest := map[string]any{
		"name": "tasker", "version": r.version, "description": about, "homepage": r.by.Home, "license": "Apache-2.0",
		"author": map[string]string{"name": r.by.name()},
	}
	for _, parts := range []func(map[string]any) (map[string][]byte, error){r.claude, r.copilot, r.gemini} {
		files, err := parts(manifest)
		if err != nil {
			return err
		}
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if len(files[path]) == 0 {
				return fmt.Errorf("setup writes nothing for plugins/%s", path)
			}
			if err := r.write("plugins/"+path, files[path]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) claude(manifest map[string]any) (map[string][]byte, error) {
	parts, err := setup.Pack("claude")
	if err != nil {
		return nil, err
	}
	hooks, err := members(parts[".claude/settings.json"], "hooks")
	return map[string][]byte{
		".claude-plugin/marketplace.json":   r.marketplace("./claude"),
		"claude/.claude-plugin/plugin.json": indented(manifest),
		"claude/.mcp.json":                  parts[".mcp.json"],
		"claude/hooks/hooks.json":           indented(hooks),
		"claude/skills/tasker/SKILL.md":     parts[".claude/skills/tasker/SKILL.md"],
	}, err
}

// copilot has a marketplace of its own, since Copilot CLI would otherwise take the plugin of Claude Code from the other one. Its
// manifest is the open one, which allows no other members; the rest is where Copilot CLI looks by itself.
func (r *release) copilot(manifest map[string]any) (map[string][]byte, error) {
	parts, err := setup.Pack("copilot")
	return map[string][]byte{
		".plugin/marketplace.json":       r.marketplace("./copilot"),
		"copilot/plugin.json":            indented(with(manifest, map[string]any{"id": r.by.Home})),
		"copilot/.mcp.json":              parts[".github/mcp.json"],
		"copilot/hooks.json":             parts[".github/hooks/tasker.json"],
		"copilot/skills/tasker/SKILL.md": parts[".agents/skills/tasker/SKILL.md"],
	}, err
}

func (r *release) gemini(manifest map[string]any) (map[string][]byte, error) {
	parts, err := setup.Pack("gemini")
	if err != nil {
		return nil, err
	}
	settings, err := members(parts[".gemini/settings.json"], "hooks", "mcpServers")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"gemini/gemini-extension.json": indented(map[string]any{
			"name": manifest["name"], "version": manifest["version"], "description": manifest["description"],
			"mcpServers": settings["mcpServers"], "contextFileName": "GEMINI.md",
		}),
		"gemini/GEMINI.md":              parts["GEMINI.md"],
		"gemini/hooks/hooks.json":       indented(map[string]any{"hooks": settings["hooks"]}),
		"gemini/skills/tasker/SKILL.md": parts[".agents/skills/tasker/SKILL.md"],
	}, nil
}

// marketplace is the file that offers one plugin, from a path below the marketplace's own directory.
func (r *release) marketplace(source string) []byte {
	return indented(map[string]any{
		"name": "tasker", "owner": map[string]string{"name": r.by.name()}, "metadata": map[string]string{"description": about, "version": r.version},
		"plugins": []map[string]string{{"name": "tasker", "source": source, "description": about, "version": r.version}},
	})
}

// registry makes the entry for the registry of the Model Context Protocol, which starts the npm package.
func (r *release) registry([]string) error {
	name, err := r.by.mcpName()
	if err != nil {
		return err
	}
	return r.write("server.json", indented(map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    name, "title": "tasker", "description": about, "version": r.version, "websiteUrl": r.by.Home,
		"packages": []map[string]any{{
			"registryType": "npm", "identifier": npmName, "version": r.version, "transport": map[string]string{"type": "stdio"},
			"packageArguments": []map[string]string{{"type": "positional", "value": "mcp"}},
		}},
	}))
}

// members returns the members of a JSON object, which has these and no others: a plugin must not lose what setup writes.
func members(text []byte, names ...string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, names) {
		return nil, fmt.Errorf("setup writes the members %q, and the plugin takes %q", got, names)
	}
	return all, nil
}

// indented writes a value as JSON for people, with its members in order and characters as they are.
func indented(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // maps of strings and of JSON that was read before
	}
	return b.Bytes()
}
