package transfer

import (
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
	"tasker/internal/transfer/importer"
)

// checkKind refuses a text that is not a kind. If it names a file, it suggests the kinds that the file may have.
func checkKind(given string) error {
	if slices.Contains(kinds(), given) {
		return nil
	}
	likely := likelyKinds(given)
	if len(likely) == 0 {
		return importer.NoKind(given, kinds())
	}
	e := fault.Bad("%s is not a kind of import: the kind comes before the file", words.Quoted(given)).WithMissing("KIND")
	command := hint.Here("import " + likely[0] + " " + words.Shell(given))
	if len(likely) == 1 {
		return e.WithHint("probably %s; the kinds are %s", command, words.List(kinds()))
	}
	return e.WithHint("as in %s; such files can be %s; the kinds are %s", command, words.List(likely), words.List(kinds()))
}

// byExtension lists the kinds whose sources are such files, the likeliest first.
var byExtension = map[string][]string{
	".md": {"markdown"}, ".markdown": {"markdown"}, ".jsonl": {"beads"}, ".csv": {"csv", "jira", "linear"},
	".json": {"github", "gitea", "jira", "taskwarrior", "taskmaster", ownKind},
}

// likelyKinds returns the kinds whose sources have names like this one, the likeliest first, or none if it is not a
// file name.
func likelyKinds(name string) []string {
	base := strings.ToLower(filepath.Base(name))
	switch {
	case base == "tasks.json":
		return []string{"taskmaster"}
	case base == "backlog" || strings.HasSuffix(name, "/"):
		return []string{importer.Folder}
	}
	return byExtension[filepath.Ext(base)]
}
