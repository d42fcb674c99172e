package picture

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"tasker/internal/graph/layout"
)

// NodeW and NodeH are the size of a node.
const (
	NodeW = 208
	NodeH = 60
)

// Sizes are the measurements that all pictures share. The room is what a window of 1280 by 800 shows at the smallest
// scale that can be read.
var Sizes = layout.Measures{W: NodeW, H: NodeH, GapX: 64, GapY: 12, Line: 12, Pad: 12, Head: 24, Room: layout.Point{X: 1650, Y: 750}}

// drawings caches layouts by their input, because most changes, such as a claim, move nothing. A hit saves the whole
// layout, which takes 100 ms for 10,000 nodes ("layout" of make bench).
type drawings struct {
	mu     sync.Mutex
	cached map[drawingKey]*layout.Drawing
	size   int // nodes and edges of all cached layouts
}

// drawingKey is the digest of the input of a layout.
type drawingKey = [sha256.Size]byte

// maxDrawn limits the cache, in nodes and edges.
const maxDrawn = 200_000

func (k *drawings) of(s layout.Sheet) *layout.Drawing {
	buf := make([]byte, 0, 4*(2+len(s.Group)+len(s.Parent)+2*len(s.Edges))+len(s.When)+len(s.Block)+len(s.Hidden))
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
	for _, w := range s.When {
		buf = append(buf, byte(w))
	}
	for _, b := range slices.Concat([]bool{s.Rows}, s.Block, s.Hidden) {
		if buf = append(buf, 0); b {
			buf[len(buf)-1] = 1
		}
	}
	key := sha256.Sum256(buf)
	k.mu.Lock()
	d := k.cached[key]
	k.mu.Unlock()
	if d != nil {
		return d
	}
	d = layout.Draw(s, Sizes)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size += s.Nodes + len(s.Edges); k.size > maxDrawn {
		clear(k.cached)
		k.size = s.Nodes + len(s.Edges)
	}
	k.cached[key] = d
	return d
}
