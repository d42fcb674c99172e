package web

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/chart"
)

// graphBody is the graph page: the picture and a table with the same content.
type graphBody struct {
	*picture.NetworkOut
	Picture *drawn
	Folded  []string
	Opened  []string
	Stem    string // the address without the parameters of the controls
	Args    string // the address's query, for exports of the same picture
	Then    string // the query that keeps the same moment
	Table   bool   // the table is on the page
	Asked   bool   // the reader asked for the table
}

// tableNodes is the most tasks for which the table comes with the picture: a larger one would be most of the page, and few
// readers open it.
const tableNodes = 200

func networkIn(a *asker) picture.NetworkIn {
	q := a.r.URL.Query()
	return picture.NetworkIn{
		Slug: a.slug(), Show: q.Get("show"), Focus: q.Get("focus"),
		From: q.Get("from"), To: q.Get("to"), Folded: splitList(q.Get("fold")), Opened: splitList(q.Get("open")),
		Up: a.number("up"), Down: a.number("down"), At: a.at(),
	}
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// Flat reports whether the reader asked for a picture in which nothing is folded.
func (b graphBody) Flat() bool { return slices.Contains(b.Folded, "none") }

// File returns the address of the same picture as a file.
func (b graphBody) File(name string) string {
	return strings.TrimSuffix(b.Stem+"/"+name+"?"+b.Args, "?")
}

func (s *site) graph(a *asker, p *shown) any {
	in := networkIn(a)
	out := ask(a, op.Network, in)
	if a.err != nil {
		return nil
	}
	a.history(p, out.At)
	address := a.r.URL
	body := graphBody{
		NetworkOut: out, Picture: s.draw(out, in, address.RequestURI()), Folded: in.Folded, Opened: in.Opened, Stem: address.Path, Args: address.Query().Encode(),
		Then: then(out.At), Asked: a.value("table") != "",
	}
	body.Table = body.Asked || len(out.Nodes) <= tableNodes
	stuck := a.troubles(out.Project, out.At)
	for i := range body.Picture.Nodes {
		body.Picture.Nodes[i].Fresh = among(out.Nodes[i], "changed", p.Past.Changed)
		body.Picture.Nodes[i].Stuck = among(out.Nodes[i], "stuck", func(id task.ID) string { return troubleWord(stuck[id]) })
	}
	return body
}

// among returns what say says about a task, or for how many tasks of a folded group it says something.
func among(n picture.NetworkNode, what string, say func(task.ID) string) string {
	if n.Parts == 0 {
		return say(n.ID)
	}
	count := 0
	for _, id := range n.Among {
		if say(id) != "" {
			count++
		}
	}
	return words.When(count > 0, strconv.Itoa(count)+" "+what)
}

// drawn is the graph as the SVG template needs it.
type drawn struct {
	W, H   string
	Groups []drawnGroup
	Edges  []drawnEdge
	Nodes  []drawnNode
	Mini   []miniature
	Apart  bool   // some edges between epics are drawn on hover
	Styled bool   // a standalone file, with its own styles
	Window string // the part to show; empty: all of it
	Left   string // the left edge of that part
	Top    string
}

type drawnGroup struct {
	ID, Title, Name string
	Far             string // how much is done, in words
	Bar             []barPart
	BarX, BarY      string
	BarW            string
	X, Y, W, H      string
	TX, TY          string
	Fold            string // the address with the group folded
	Share           string // how much is done, in percent; empty if it has no parts
	Named           bool   // it keeps its name, however small the picture is
	Inside          bool   // it is in a group that does
}

type drawnEdge struct {
	D, From, To string
	Critical    bool
	Loose       bool
	Part        bool
	Veiled      bool // it is drawn only for a reader who asks for it
	Inside      bool // one of its ends is in a named group
}

type drawnNode struct {
	ID, Title, Line string
	Lines           []string // the lines of the title
	Bar             []barPart
	State           string
	X, Y            string
	Critical        bool
	Before, After   int
	Href            string
	Parts           int
	Focus           bool
	Fresh           string // what happened to it since
	Stuck           string // why nothing goes on with it
	Circled         bool   // it is in a circle with its parent, and is not a part of it
	Now             bool   // it is, or could be, worked on
	Share           string // of a folded group: how much is done, in percent
	All             string // of a folded group: its tasks in words
	Inside          bool   // it is in a named group
}

// barPart is a segment of a folded group's progress bar.
type barPart struct{ Class, X, W string }

// miniature is all nodes of one state as one path, for the overview picture.
type miniature struct{ State, D string }

// draw makes the picture. It cuts texts; the template escapes them.
func (s *site) draw(out *picture.NetworkOut, in picture.NetworkIn, address string) *drawn {
	d, m := out.Drawing, picture.Sizes
	p := &drawn{W: chart.Num(d.W + m.Pad), H: chart.Num(d.H + m.Pad)}
	named := out.Named()
	for _, i := range out.OuterFirst() {
		g, f := out.Groups[i], d.Frame[i]
		if f.W == 0 {
			continue
		}
		group := drawnGroup{
			Named: named.Group[i], Inside: !named.Group[i] && named.Inside(i),
			ID: string(g.ID), Title: chart.Clip(g.Title, shownTitle), X: chart.Num(f.X), Y: chart.Num(f.Y), W: chart.Num(f.W), H: chart.Num(f.H),
			TX: chart.Num(f.X + 10), TY: chart.Num(f.Y + 16), Fold: folding(address, in, string(g.ID), true),
		}
		group.progress(g, f.X, f.Y, f.W)
		p.Groups = append(p.Groups, group)
	}
	ids := words.Each(out.Nodes, func(n picture.NetworkNode) string { return string(n.ID) })
	for i, e := range out.Edges {
		p.Edges = append(p.Edges, drawnEdge{
			D: curve(d.Way[i]), From: ids[e.From], To: ids[e.To], Critical: e.Critical, Loose: d.Loose[i], Part: e.Part,
			Veiled: out.Quiet(e) || d.Apart[i] && (out.Map || !e.Critical), Inside: named.Node[e.From] || named.Node[e.To],
		})
	}
	p.Apart = slices.Contains(d.Apart, true)
	small := map[string]*strings.Builder{}
	for i := range out.Nodes {
		n := &out.Nodes[i]
		x, y := d.Node[i].X-m.W/2, d.Node[i].Y-m.H/2
		node := s.drawNode(n, chart.Num(x), chart.Num(y), in, address, n.ID == out.Focus)
		node.Inside = named.Node[i]
		p.Nodes = append(p.Nodes, node)
		if small[n.State] == nil {
			small[n.State] = &strings.Builder{}
		}
		small[n.State].WriteString("M" + chart.Num(x) + " " + chart.Num(y) + "h" + chart.Num(m.W) + "v" + chart.Num(m.H) + "h-" + chart.Num(m.W) + "z")
	}
	for _, state := range []string{"waiting", "asked", "ready", "in_progress", "unheld", "in_review", "done", "cancelled", "folded"} {
		if b := small[state]; b != nil {
			p.Mini = append(p.Mini, miniature{state, b.String()})
		}
	}
	return p
}

// areaBar is the width of an area's progress bar.
const areaBar = 80

// progress sets the progress in the head of an area, and cuts the area's name to fit.
func (d *drawnGroup) progress(g picture.NetworkGroup, x, y, w float64) {
	room := w - 34
	if g.All > 0 {
		d.Share = strconv.Itoa(percent(g.Closed, g.All))
		d.Far = d.Share + " % of " + plural(g.All, "part", "parts") + " closed"
		if room > areaBar+60 {
			at := x + w - areaBar - 12
			d.BarX, d.BarY, d.BarW, room = chart.Num(at), chart.Num(y+9), chart.Num(areaBar), room-areaBar-12
			d.Bar = []barPart{{"b-done", chart.Num(at), chart.Num(float64(g.Closed) / float64(g.All) * areaBar)}}
		}
	}
	name := g.Title
	if d.Far != "" {
		name += " · " + d.Far
	}
	d.Name = chart.Fit(name, 11.5, room)
}

// folding returns the address of the picture with a group folded, or opened.
func folding(address string, in picture.NetworkIn, id string, fold bool) string {
	put := func(list []string, in bool) string {
		out := slices.DeleteFunc(slices.Clone(list), func(x string) bool { return strings.EqualFold(x, id) })
		if in {
			out = append([]string{id}, out...)
		}
		return strings.Join(out, ",")
	}
	to, err := withParam(address, "fold", put(in.Folded, fold))
	if err == nil {
		to, err = withParam(to, "open", put(in.Opened, !fold))
	}
	if err != nil {
		return ""
	}
	return to
}

// The limits of a node's text.
const (
	shownTitle = 200 // characters, if a title is shown in full
	nodeText   = picture.NodeW - 28
	barWidth   = nodeText
)

func (s *site) drawNode(n *picture.NetworkNode, x, y string, in picture.NetworkIn, address string, focus bool) drawnNode {
	v := drawnNode{
		ID: string(n.ID), Title: chart.Clip(n.Title, shownTitle), State: n.State, X: x, Y: y, Critical: n.Critical,
		Before: n.MoreBefore, After: n.MoreAfter, Href: "/t/" + string(n.ID), Parts: n.Parts, Focus: focus,
		Circled: n.InCircle && !n.Status.Closed() && n.Parts == 0, Now: n.Now(),
	}
	lines := 2
	switch {
	case n.Parts > 0:
		lines = 1
		all, closed, states := n.Below()
		v.Share = strconv.Itoa(percent(closed, all))
		v.All = plural(all, "part", "parts") + " · " + v.Share + " % closed"
		v.Line = "▸ " + v.All
		v.Href = folding(address, in, v.ID, false)
		at := 0.0
		for _, part := range []struct {
			class string
			n     int
		}{
			{"b-done", closed}, {"b-prog", states[task.StateHeld] + states[task.StateUnheld] + states[task.StateInReview]},
			{"b-ready", states[task.StateReady]},
		} {
			w := float64(part.n) / float64(all) * barWidth
			if w > 0 {
				v.Bar = append(v.Bar, barPart{part.class, chart.Num(14 + at), chart.Num(w)})
			}
			at += w
		}
	case n.Claim != nil:
		v.Line = glyph(n.State) + " " + v.ID + " · " + n.Claim.Actor + " " + strings.TrimSuffix(s.when(n.Claim.ClaimedAt).Text, " ago")
	default:
		v.Line = glyph(n.State) + " " + v.ID + " · " + chart.Word(n.State)
	}
	v.Line, v.Lines = chart.Fit(v.Line, 11, nodeText), chart.Fitted(n.Title, 12, nodeText, lines)
	return v
}

// curve returns the SVG path of an edge: straight across a column, curved between two.
func curve(way []point) string {
	var b strings.Builder
	for i, p := range way {
		switch {
		case i == 0:
			b.WriteString("M" + chart.Num(p.X) + " " + chart.Num(p.Y))
		case i%2 == 0:
			b.WriteString("H" + chart.Num(p.X))
		default:
			mid := chart.Num((way[i-1].X + p.X) / 2)
			b.WriteString("C" + mid + " " + chart.Num(way[i-1].Y) + " " + mid + " " + chart.Num(p.Y) + " " + chart.Num(p.X) + " " + chart.Num(p.Y))
		}
	}
	return b.String()
}
