package main

import (
	"fmt"

	"tasker/internal/plan"
	"tasker/internal/task"
)

// task returns the definition of a project's task number i: as much text as people write, and dependencies unless it is
// one of the ready ones.
func (p shape) task(i int, rnd *lcg) plan.TaskDef {
	def := plan.TaskDef{Key: key(i)}
	def.Title = plan.Give(fmt.Sprintf("Carry the change %d through to the end", i))
	def.Body = plan.Give(task.Opt(fmt.Sprintf("What is to be done for number %d, and why: %s", i, reasons)))
	def.Priority = plan.Give(rnd.below(4))
	def.Criteria = plan.Give([]string{"The tests of the change pass", "Somebody else has read it"})
	if p.touches {
		def.Touches = plan.Give(globs(i))
	}
	if i < p.ready {
		return def
	}
	deps := make([]string, 0, 3)
	for range 2 + i%2 { // 2.5 on average
		if on := key(rnd.below(i)); len(deps) == 0 || deps[0] != on {
			deps = append(deps, on)
		}
	}
	def.Deps = plan.Give(deps)
	return def
}

const reasons = "the reason stands in the report of last week, the place is known, and the way there was agreed on by all who " +
	"will have to live with it. Begin with the part that can be taken back, and measure before and after."

func key(i int) string { return fmt.Sprintf("task-%06d", i) }

// lcg is a random source that produces the same numbers in every run.
type lcg uint64

func (r *lcg) below(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int((uint64(*r) >> 33) % uint64(n))
}
