package web

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/chart"
)

// window is the part of a picture that a reader looks at, in the picture's coordinates.
type window struct{ x, y, w, h float64 }

// windowOf parses a window, X,Y,WIDTH,HEIGHT; nil if the text is empty.
func windowOf(text string) (*window, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // show the whole picture
	}
	var n [4]float64
	parts := strings.Split(text, ",")
	for i := range min(len(parts), len(n)) {
		v, err := strconv.Atoi(parts[i])
		if err != nil || v < 0 || v > 10_000_000 {
			parts = nil
			break
		}
		n[i] = float64(v)
	}
	if len(parts) != len(n) || n[2] == 0 || n[3] == 0 {
		return nil, fault.Bad("window is %q", chart.Clip(text, 60)).WithMissing(fault.Parameter("window")).
			WithHint("four whole numbers, x,y,width,height, of a part of the picture")
	}
	return &window{n[0], n[1], n[2], n[3]}, nil
}

// of returns the part of a picture inside the window: the tasks, and the edges between them.
func (v *window) of(out *picture.NetworkOut) *picture.NetworkOut {
	cut, drawing := *out, *out.Drawing
	cut.Nodes, cut.Edges, cut.Inside, drawing.Node, drawing.Way, drawing.Loose, drawing.Apart = nil, nil, nil, nil, nil, nil, nil
	became := slices.Repeat([]int32{-1}, len(out.Nodes))
	for i, node := range out.Nodes {
		at := out.Drawing.Node[i]
		if v.meets(at.X-picture.NodeW/2, at.Y-picture.NodeH/2, picture.NodeW, picture.NodeH) {
			became[i] = int32(len(cut.Nodes))
			cut.Nodes, cut.Inside, drawing.Node = append(cut.Nodes, node), append(cut.Inside, out.Inside[i]), append(drawing.Node, at)
		}
	}
	for i, e := range out.Edges {
		if became[e.From] < 0 || became[e.To] < 0 {
			continue
		}
		e.From, e.To = became[e.From], became[e.To]
		cut.Edges, drawing.Way = append(cut.Edges, e), append(drawing.Way, out.Drawing.Way[i])
		drawing.Loose, drawing.Apart = append(drawing.Loose, out.Drawing.Loose[i]), append(drawing.Apart, out.Drawing.Apart[i])
	}
	drawing.Frame = slices.Clone(out.Drawing.Frame)
	for i, f := range drawing.Frame {
		if !v.meets(f.X, f.Y, f.W, f.H) {
			drawing.Frame[i].W = 0 // not drawn
		}
	}
	cut.Drawing = &drawing
	return &cut
}

func (v *window) meets(x, y, w, h float64) bool {
	return x < v.x+v.w && x+w > v.x && y < v.y+v.h && y+h > v.y
}

// show limits a drawing to the window.
func (v *window) show(p *drawn) {
	if v == nil {
		return
	}
	p.Left, p.Top, p.W, p.H = chart.Num(v.x), chart.Num(v.y), chart.Num(v.w), chart.Num(v.h)
	p.Window = strings.Join([]string{p.Left, p.Top, p.W, p.H}, " ")
}
