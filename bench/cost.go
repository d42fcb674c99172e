package main

import "runtime/metrics"

// cost is what a number of operations took: time on the clock, processor time of this process (clients included, and
// the server where it runs in it), and allocations. Processor time and allocations depend less on what else the machine
// does than the clock, so an optimisation is judged by them.
type cost struct {
	wall, cpu float64 // seconds
	allocs    float64
}

// spending returns a function that returns the cost since now, without the time on the clock.
func spending() func() cost {
	cpu, allocs := processorTime(), allocations()
	return func() cost {
		return cost{cpu: processorTime() - cpu, allocs: allocations() - allocs}
	}
}

func (c *cost) add(d cost) {
	c.wall += d.wall
	c.cpu += d.cpu
	c.allocs += d.allocs
}

// allocations returns how many objects this process has allocated.
func allocations() float64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}
