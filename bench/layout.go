package main

import (
	"context"
	"fmt"
	"time"

	"tasker/internal/graph"
	"tasker/internal/graph/layout"
	"tasker/internal/views/picture"
)

// layouts measures how long it takes to lay out pictures, on one core.
func layouts(_ context.Context, b *bench) ([]*result, error) {
	var out []*result
	for _, c := range []struct {
		nodes int
		limit float64 // ms
	}{{1000, 150}, {10_000, 2000}} {
		r := &result{
			what: fmt.Sprintf("layout of %d nodes", c.nodes), against: fmt.Sprintf("%g ms", c.limit), unit: "ms", bound: bound{atMost: 1},
			note: "one core, Go alone",
		}
		sheet := sheetOf(c.nodes)
		for range b.runs {
			var took float64
			err := b.profiled(func() error {
				began := time.Now()
				layout.Draw(sheet, picture.Sizes)
				took = time.Since(began).Seconds()
				return nil
			})
			if err != nil {
				return nil, err
			}
			r.add(took*1e3, c.limit)
		}
		out = append(out, r)
	}
	return out, nil
}

// sheetOf returns a graph like the plans that people make: tasks in groups of about 40, each of which waits for 1.5
// others, mostly shortly before it.
func sheetOf(nodes int) layout.Sheet {
	const size = 40
	rnd := lcg(7)
	s := layout.Sheet{Nodes: nodes, Group: make([]int32, nodes)}
	for range (nodes + size - 1) / size {
		s.Parent = append(s.Parent, -1)
	}
	for i := range nodes {
		s.Group[i] = int32(i / size)
		for range 1 + i%2 {
			near := 60
			if rnd.below(20) == 0 {
				near = nodes / 4
			}
			if from := i - 1 - rnd.below(near); from >= 0 {
				s.Edges = append(s.Edges, graph.Edge{From: int32(from), To: int32(i)})
			}
		}
	}
	return s
}
