package setup

import (
	_ "embed"
	"slices"
	"strings"
)

// skill is what an agent reads about tasker when it needs it: when to plan, how to work, how to hand over.
//
//go:embed SKILL.md
var skill string

// Where agents look for skills: most of them in one place, Claude Code in its own.
const (
	skills       = ".agents/skills/tasker/SKILL.md"
	claudeSkills = ".claude/skills/tasker/SKILL.md"
)

func skillText(Options) string { return skill }

// writers returns what the setups of the other agents wrote of a file that several read, one digest for each agent.
func (w *work) writers(path string) (digests []string) {
	for _, a := range agents {
		if a.name == w.agent.name {
			continue
		}
		b, _ := markdown.shared(w.file(a.guide).after)
		for _, u := range b.users {
			for _, m := range u.made {
				if sum, ok := strings.CutPrefix(m, path+"="); ok && u.name == a.name {
					digests = append(digests, sum)
				}
			}
		}
	}
	return digests
}

// ours reports whether a file is what a setup wrote, of this agent or of another.
func (w *work) ours(path string, made []string) bool {
	sum := digest(w.file(path).after)
	return slices.Contains(made, path+"="+sum) || slices.Contains(w.writers(path), sum)
}
