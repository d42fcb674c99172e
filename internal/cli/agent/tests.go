package agent

import (
	"path/filepath"
	"regexp"
	"strings"

	"tasker/internal/cli/frame"
)

// tested matches a file that says how a repository is tested, and the command that does it. text, if set, must occur in
// the file.
type tested struct{ file, text, command string }

// testCommands are the commands that repositories are tested with. A Makefile's own target comes first, because it is the
// project's own choice.
var testCommands = []tested{
	{"Makefile", `(?m)^test\s*:`, "make test"},
	{"go.mod", ``, "go test ./..."},
	{"Cargo.toml", ``, "cargo test"},
	{"package.json", `"test"\s*:\s*"`, "npm test"},
	{"pytest.ini", ``, "pytest"},
	{"conftest.py", ``, "pytest"},
	{"pyproject.toml", `pytest`, "pytest"},
	{"setup.cfg", `\[tool:pytest\]`, "pytest"},
	{"tox.ini", `\[pytest\]`, "pytest"},
}

// unwritten is the test script that npm init writes: it only fails.
const unwritten = "no test specified"

// testCommand returns the command that tests the repository in a directory, or "" if its files name none.
func testCommand(dir string) string {
	for _, t := range testCommands {
		if !exists(dir, t.file) {
			continue
		}
		if t.text == "" {
			return t.command
		}
		src, err := frame.ReadSmall(filepath.Join(dir, t.file))
		if err == nil && regexp.MustCompile(t.text).Match(src) && !strings.Contains(string(src), unwritten) {
			return t.command
		}
	}
	return ""
}
