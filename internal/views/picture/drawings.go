package picture

import (
	"crypto/sha256"
	"encoding/binary"

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
	var buf []byte
	for _, part := range []any{
		int32(sheet.Nodes), int32(len(sheet.Parent)), sheet.Group, sheet.Parent, sheet.Edges, sheet.When, sheet.Rows, sheet.Block, sheet.Hidden,
	} {
		buf, _ = binary.Append(buf, binary.LittleEndian, part) // which cannot fail: each has a fixed size
	}
	d, _ := s.drawings.Of(sha256.Sum256(buf), func(*layout.Drawing) bool { return true }, func() (*layout.Drawing, error) {
		return layout.Draw(sheet, Sizes), nil // which cannot fail
	})
	return d
}
