package agent

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheCommandOfARepositoryIsFoundInItsFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", nil, ""},
		{"go", map[string]string{"go.mod": "module x\n"}, "go test ./..."},
		{"a Makefile of its own", map[string]string{"go.mod": "module x\n", "Makefile": "build:\n\ntest: build\n\tgo test ./...\n"}, "make test"},
		{"a Makefile without tests", map[string]string{"Makefile": "build:\n\ttest -f x\n"}, ""},
		{"cargo", map[string]string{"Cargo.toml": ""}, "cargo test"},
		{"npm", map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`}, "npm test"},
		{"npm without tests", map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, ""},
		{"pytest", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest"},
		{"python without tests", map[string]string{"pyproject.toml": "[project]\n"}, ""},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := testCommand(dir); got != c.want {
			t.Errorf("%s: %q, and not %q", c.name, got, c.want)
		}
	}
}
