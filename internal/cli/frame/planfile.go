package frame

import (
	"os"
	"path/filepath"

	"tasker/internal/text/words"
)

// PlanNames are the usual file names of plans; init writes the first one.
var PlanNames = []string{"plan.yaml", "plan.yml", "plan.json"}

// PlanFile returns the plan in a directory, as a shell in the working directory names it, or "" if there is none.
func (f *Factory) PlanFile(dir string) string {
	for _, name := range PlanNames {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		if near, err := filepath.Rel(f.Process.Dir, path); err == nil {
			path = near
		}
		return words.Shell(path)
	}
	return ""
}
