package picture

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"tasker/internal/core/cache"
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
//
// The keys are digests of the input. A layout has at most drawnNodes and drawnEdges.
type drawings = cache.Cache[[sha256.Size]byte, *layout.Drawing]

// draw lays out a sheet, unless it has been laid out before.
func (s *Service) draw(sheet layout.Sheet) *layout.Drawing {
	buf := make([]byte, 0, 4*(2+len(sheet.Group)+len(sheet.Parent)+2*len(sheet.Edges))+len(sheet.When)+len(sheet.Block)+len(sheet.Hidden))
	put := func(v int32) { buf = binary.LittleEndian.AppendUint32(buf, uint32(v)) }
	put(int32(sheet.Nodes))
	put(int32(len(sheet.Parent)))
	for _, g := range sheet.Group {
		put(g)
	}
	for _, p := range sheet.Parent {
		put(p)
	}
	for _, e := range sheet.Edges {
		put(e.From)
		put(e.To)
	}
	for _, w := range sheet.When {
		buf = append(buf, byte(w))
	}
	for _, b := range slices.Concat([]bool{sheet.Rows}, sheet.Block, sheet.Hidden) {
		if buf = append(buf, 0); b {
			buf[len(buf)-1] = 1
		}
	}
	d, _ := s.drawings.Of(sha256.Sum256(buf), func(*layout.Drawing) bool { return true }, func() (*layout.Drawing, error) {
		return layout.Draw(sheet, Sizes), nil // which cannot fail
	})
	return d
}
