package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// setting is one line of git's configuration.
type setting struct{ key, value string }

// always returns the settings of every call. They switch off what a repository could run by any of
// them, wherever it is configured.
func always() []setting {
	return []setting{
		{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.askPass", ""}, {"protocol.ext.allow", "never"},
		{"log.showSignature", "false"}, {"gc.auto", "0"}, {"maintenance.auto", "false"},
	}
}

// Own holds replacements for the settings of a repository that run a program, taken from the user's
// and the system's configuration.
type Own struct {
	settings []setting
	env      []string // for settings that cannot be replaced
	// Filters are the filters that only the repository defines. They do not run.
	Filters []string
}

// entry is one line of the configuration.
type entry struct {
	own bool // of the repository, or of one of its work trees
	setting
}

// named lists words, at least one of which is in every key that runs something or includes further
// files. The configuration of most repositories has none of them, and then nothing else has to be
// asked.
var named = []string{
	"include", "filter", "driver", "helper", "command", "textconv", "external", "uploadpack", "gitproxy", "recurse", "transfer", "extension", "savecookies",
}

// Inspect reads a repository's own configuration. common is the git directory that all its work
// trees share, private that of the work tree in use.
func (g Git) Inspect(ctx context.Context, common, private string) (Own, error) {
	if !suspicious(filepath.Join(common, "config")) && !suspicious(filepath.Join(private, "config.worktree")) {
		return Own{}, nil
	}
	entries, err := g.entries(ctx, private)
	return replaced(entries), err
}

// suspicious reports whether a configuration file may name a program. A file that cannot be read
// may.
func suspicious(path string) bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return !os.IsNotExist(err)
	}
	lower := strings.ToLower(string(text))
	return slices.ContainsFunc(named, func(word string) bool { return strings.Contains(lower, word) })
}

// entries lists the configuration that applies to the work tree with the git directory private, the
// system's first.
func (g Git) entries(ctx context.Context, private string) ([]entry, error) {
	out, err := g.Run(ctx, private, []string{"GIT_DIR=" + private}, "config", "--null", "--show-scope", "--list")
	if err != nil {
		return nil, err
	}
	var all []entry
	parts := strings.Split(out, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		key, value, _ := strings.Cut(parts[i+1], "\n")
		all = append(all, entry{parts[i] == "local" || parts[i] == "worktree", setting{key, value}})
	}
	return all, nil
}

// merging is git's built-in merge of texts, as the command of a driver.
const merging = "git merge-file --marker-size=%L %A %O %B"

// replacements holds, by section and name, the value of each setting that runs a program if only the repository sets it.
var replacements = map[string]string{
	"filter.clean": "", "filter.smudge": "", "filter.process": "", "filter.required": "false",
	"submodule.recurse": "false", "http.savecookies": "false", // the latter writes to any file
	"merge.driver": merging, "diff.external": "true", "diff.command": "true", "diff.textconv": "cat", "core.alternaterefscommand": "true",
	"core.sshcommand": "ssh -o BatchMode=yes", "remote.uploadpack": "git-upload-pack", "lfs.standalonetransferagent": "",
}

// harmless returns the replacement for a setting that runs a program, for use if only the repository
// sets it. It also reports whether the key is such a setting.
func harmless(key string) (value string, runs bool) {
	section, rest, _ := strings.Cut(key, ".")
	if strings.HasPrefix(key, "lfs.customtransfer.") || strings.HasPrefix(key, "lfs.extension.") {
		return "", true
	}
	value, runs = replacements[section+"."+rest[strings.LastIndexByte(rest, '.')+1:]]
	return value, runs
}

// replaced returns the replacements for a repository's settings that run something.
func replaced(all []entry) (o Own) {
	users := map[string]string{}
	helpers := []setting{{"credential.helper", ""}} // restarts the list
	ownHelper := false
	for _, e := range all {
		isHelper := strings.HasPrefix(e.key, "credential.") && strings.HasSuffix(e.key, ".helper")
		switch {
		case e.own:
			ownHelper = ownHelper || isHelper
		case isHelper:
			helpers = append(helpers, e.setting)
		default:
			users[e.key] = e.value
		}
	}
	seen := map[string]bool{}
	for _, e := range all {
		if e.own && e.key == "core.gitproxy" && o.env == nil { // git takes the first one
			o.env = []string{"GIT_PROXY_COMMAND="}
		}
		value, runs := harmless(e.key)
		if !e.own || !runs {
			continue
		}
		if users, ok := users[e.key]; ok {
			value = users
		}
		if !seen[e.key] {
			seen[e.key] = true
			o.settings = append(o.settings, setting{e.key, value})
		}
		if filter, ok := ofFilter(e.key); ok && e.value != "" && !definesFilter(users, filter, e.key) && !slices.Contains(o.Filters, filter) {
			o.Filters = append(o.Filters, filter)
		}
	}
	if ownHelper {
		o.settings = append(o.settings, helpers...)
	}
	return o
}

// programs lists the settings of a filter that name a program.
var programs = []string{"clean", "smudge", "process"}

// ofFilter returns the name of the filter whose program a key sets.
func ofFilter(key string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(key, "filter.")
	i := strings.LastIndexByte(rest, '.')
	if !ok || i < 0 || !slices.Contains(programs, rest[i+1:]) {
		return "", false
	}
	return rest[:i], true
}

// definesFilter reports whether settings define a filter for which a repository sets a key. A
// process that only the repository sets cannot be removed: git would not fall back to the other
// programs.
func definesFilter(settings map[string]string, name, key string) bool {
	if strings.HasSuffix(key, ".process") {
		return settings[key] != ""
	}
	return slices.ContainsFunc(programs, func(p string) bool { return settings["filter."+name+"."+p] != "" })
}

// and joins the settings of two repositories. The first wins.
func (o Own) and(more Own) Own {
	have := o.settings
	for _, s := range more.settings {
		if !slices.ContainsFunc(have, func(h setting) bool { return h.key == s.key }) {
			o.settings = append(o.settings, s)
		}
	}
	o.env = append(o.env, more.env...)
	return o // we neither run filters of a submodule nor check out its files
}

// WithHooks returns the settings with hooks that do run: those in a directory.
func (g Git) WithHooks(dir string) Git {
	g.Own.settings = append(slices.Clone(g.Own.settings), setting{"core.hooksPath", dir})
	return g
}
