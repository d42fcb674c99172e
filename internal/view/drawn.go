package view

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"tasker/internal/core"
	"tasker/internal/graph"
	"tasker/internal/task"
)

// flow is the open tasks of a project and how they wait for one another, with the critical path: a longest chain.
type flow struct {
	version  int64
	ids      []task.ID
	edges    []task.Edge
	path     []task.ID
	critical map[task.ID]bool
	step     map[task.Edge]bool
	waiting  map[task.ID][]task.ID // who waits for a task
}

// flows keeps what was read last, a project each, as long as the version of the flow, which is read in the same
// snapshot.
type flows struct {
	mu   sync.Mutex
	kept map[string]*flow
}

const maxFlows = 16

func flowsOf(s *core.Services) *flows {
	k, _ := s.Memo.LoadOrStore("flows", &flows{kept: map[string]*flow{}})
	return k.(*flows)
}

func (k *flows) of(sc scene) (*flow, error) {
	k.mu.Lock()
	f := k.kept[sc.Project.Slug]
	k.mu.Unlock()
	if f != nil && f.version == sc.Project.FlowVersion {
		return f, nil
	}
	ids, edges, err := sc.Tx.Flow(sc.Project.Slug)
	if err != nil {
		return nil, err
	}
	f = chart(ids, edges)
	f.version = sc.Project.FlowVersion
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) >= maxFlows {
		clear(k.kept)
	}
	k.kept[sc.Project.Slug] = f
	return f, nil
}

func chart(ids []task.ID, edges []task.Edge) *flow {
	f := &flow{ids: ids, edges: edges, critical: map[task.ID]bool{}, step: map[task.Edge]bool{}, waiting: map[task.ID][]task.ID{}}
	at := make(map[task.ID]int32, len(ids))
	for i, id := range ids {
		at[id] = int32(i)
	}
	on := make([]graph.Edge, len(edges))
	for i, e := range edges {
		on[i] = graph.Edge{From: at[e.To], To: at[e.From]}
		f.waiting[e.To] = append(f.waiting[e.To], e.From)
	}
	for i, v := range graph.Longest(len(ids), on) {
		f.path = append(f.path, ids[v])
		f.critical[ids[v]] = true
		if i > 0 {
			f.step[task.Edge{From: ids[v], To: f.path[i-1]}] = true
		}
	}
	return f
}

// Sizes are the measures of every picture.
var Sizes = graph.Measures{W: 208, H: 46, GapX: 64, GapY: 12, Line: 12, Pad: 12, Head: 24}

// drawings keeps layouts by what was laid out: a claim changes no place, so it costs none.
type drawings struct {
	mu   sync.Mutex
	kept map[[sha256.Size]byte]*graph.Drawing
	size int // nodes and edges of what is kept
}

// maxDrawn bounds what is kept, in nodes and edges.
const maxDrawn = 200_000

func drawingsOf(s *core.Services) *drawings {
	k, _ := s.Memo.LoadOrStore("drawings", &drawings{kept: map[[sha256.Size]byte]*graph.Drawing{}})
	return k.(*drawings)
}

func (k *drawings) of(s graph.Sheet) *graph.Drawing {
	buf := make([]byte, 0, 4*(2+len(s.Group)+len(s.Parent)+2*len(s.Edges)))
	put := func(v int32) { buf = binary.LittleEndian.AppendUint32(buf, uint32(v)) }
	put(int32(s.Nodes))
	put(int32(len(s.Parent)))
	for _, g := range s.Group {
		put(g)
	}
	for _, p := range s.Parent {
		put(p)
	}
	for _, e := range s.Edges {
		put(e.From)
		put(e.To)
	}
	key := sha256.Sum256(buf)
	k.mu.Lock()
	d := k.kept[key]
	k.mu.Unlock()
	if d != nil {
		return d
	}
	d = graph.Layout(s, Sizes)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size += s.Nodes + len(s.Edges); k.size > maxDrawn {
		clear(k.kept)
		k.size = s.Nodes + len(s.Edges)
	}
	k.kept[key] = d
	return d
}
