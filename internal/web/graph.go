package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tasker/internal/core/picture"
	"tasker/internal/op"
	"tasker/internal/task"
)

// graphBody is the graph page: the picture and the table that says the same.
type graphBody struct {
	*picture.NetworkOut
	Picture *drawn
	Folded  []string
	Opened  []string
	Stem    string // the address without what the controls change
	Args    string // the address's query, for the files of the same picture
	Then    string // how an address asks for the same moment
}

func networkIn(r *http.Request) (in picture.NetworkIn, err error) {
	q := r.URL.Query()
	in = picture.NetworkIn{
		Slug: r.PathValue("slug"), Show: q.Get("show"), Focus: q.Get("focus"), Folded: splitList(q.Get("fold")), Opened: splitList(q.Get("open")),
	}
	if in.Up, err = number(q, "up"); err != nil {
		return in, err
	}
	if in.Down, err = number(q, "down"); err != nil {
		return in, err
	}
	in.At, err = at(r)
	return in, err
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func (s *site) graph(r *http.Request, p *shown) error {
	p.Title = "Graph"
	in, err := networkIn(r)
	if err != nil {
		return err
	}
	out, err := op.Network.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	if err := s.history(r, p, out.At); err != nil {
		return err
	}
	body := graphBody{
		NetworkOut: out, Picture: s.draw(out, in, r.URL.RequestURI()), Folded: in.Folded, Opened: in.Opened, Stem: r.URL.Path, Args: r.URL.Query().Encode(),
		Then: then(out.At),
	}
	for i := range body.Picture.Nodes {
		body.Picture.Nodes[i].Fresh = p.Past.changedAmong(out.Nodes[i])
	}
	p.Body = body
	return nil
}

// changedAmong says what happened to a task, or to how many of those that a folded group stands for.
func (b *pastBar) changedAmong(n picture.NetworkNode) string {
	if n.Parts == 0 {
		return b.Changed(n.ID)
	}
	count := 0
	for _, id := range n.Among {
		if b.Changed(id) != "" {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return strconv.Itoa(count) + " changed"
}

// drawn is the graph as SVG needs it.
type drawn struct {
	W, H   string
	Groups []drawnGroup
	Edges  []drawnEdge
	Nodes  []drawnNode
	Mini   []miniature
	Styled bool // it stands by itself, with its own styles
}

type drawnGroup struct {
	ID, Title, Name string
	X, Y, W, H      string
	TX, TY          string
	Fold            string // the address with the group folded
}

type drawnEdge struct {
	D, From, To string
	Critical    bool
	Loose       bool
	Part        bool
}

type drawnNode struct {
	ID, Title, Line string
	Lines           []string // of the title
	Bar             []barPart
	State           string
	X, Y            string
	Critical        bool
	Before, After   int
	Href            string
	Parts           int
	Focus           bool
	Fresh           string // what happened to it since
	Circled         bool   // it stands in a circle with its parent, and is no part of it
}

// barPart is a stretch of the bar that tells how far a folded group is.
type barPart struct{ Class, X, W string }

// miniature is all nodes of one state as one path, for the small picture.
type miniature struct{ State, D string }

func num(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// draw makes the picture. Texts are cut here and escaped where they are written.
func (s *site) draw(out *picture.NetworkOut, in picture.NetworkIn, address string) *drawn {
	d, m := out.Drawing, picture.Sizes
	p := &drawn{W: num(d.W + m.Pad), H: num(d.H + m.Pad)}
	for i, g := range out.Groups {
		f := d.Frame[i]
		if f.W == 0 {
			continue
		}
		p.Groups = append(p.Groups, drawnGroup{
			ID: string(g.ID), Title: visible(g.Title), Name: fit(g.Title, 11.5, f.W-34), X: num(f.X), Y: num(f.Y), W: num(f.W), H: num(f.H),
			TX: num(f.X + 10), TY: num(f.Y + 16), Fold: folding(address, in, string(g.ID), true),
		})
	}
	ids := make([]string, len(out.Nodes))
	for i, n := range out.Nodes {
		ids[i] = string(n.ID)
	}
	for i, e := range out.Edges {
		p.Edges = append(p.Edges, drawnEdge{D: curve(d.Way[i]), From: ids[e.From], To: ids[e.To], Critical: e.Critical, Loose: d.Loose[i], Part: e.Part})
	}
	small := map[string]*strings.Builder{}
	for i := range out.Nodes {
		n := &out.Nodes[i]
		x, y := d.Node[i].X-m.W/2, d.Node[i].Y-m.H/2
		p.Nodes = append(p.Nodes, s.drawNode(n, num(x), num(y), in, address, n.ID == out.Focus))
		b := small[n.State]
		if b == nil {
			b = &strings.Builder{}
			small[n.State] = b
		}
		b.WriteString("M" + num(x) + " " + num(y) + "h" + num(m.W) + "v" + num(m.H) + "h-" + num(m.W) + "z")
	}
	for _, state := range []string{"waiting", "asked", "ready", "in_progress", "unheld", "in_review", "done", "cancelled", "folded"} {
		if b := small[state]; b != nil {
			p.Mini = append(p.Mini, miniature{state, b.String()})
		}
	}
	return p
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

// Measures of a node's text.
const (
	nodeText = picture.NodeW - 28
	barWidth = nodeText
)

func (s *site) drawNode(n *picture.NetworkNode, x, y string, in picture.NetworkIn, address string, focus bool) drawnNode {
	v := drawnNode{
		ID: string(n.ID), Title: visible(n.Title), State: n.State, X: x, Y: y, Critical: n.Critical,
		Before: n.MoreBefore, After: n.MoreAfter, Href: "/t/" + string(n.ID), Parts: n.Parts, Focus: focus,
		Circled: n.InCircle && !n.Status.Closed() && n.Parts == 0,
	}
	lines := 2
	switch {
	case n.Parts > 0:
		lines = 1
		closed := n.Behind[task.StateDone] + n.Behind[task.StateCancelled]
		v.Line = "▸ " + plural(n.Parts, "task", "tasks") + " · " + strconv.Itoa(percent(closed, n.Parts)) + " % closed"
		v.Href = folding(address, in, v.ID, false)
		at := 0.0
		for _, part := range []struct {
			class string
			n     int
		}{
			{"b-done", closed}, {"b-prog", n.Behind[task.StateHeld] + n.Behind[task.StateUnheld] + n.Behind[task.StateInReview]},
			{"b-ready", n.Behind[task.StateReady]},
		} {
			w := float64(part.n) / float64(n.Parts) * barWidth
			if w > 0 {
				v.Bar = append(v.Bar, barPart{part.class, num(14 + at), num(w)})
			}
			at += w
		}
	case n.Claim != nil:
		v.Line = glyph(n.State) + " " + v.ID + " · " + n.Claim.Actor + " " + strings.TrimSuffix(s.when(n.Claim.ClaimedAt).Text, " ago")
	default:
		v.Line = glyph(n.State) + " " + v.ID + " · " + word(n.State)
	}
	v.Line, v.Lines = fit(v.Line, 11, nodeText), fitted(n.Title, 12, nodeText, lines)
	return v
}

// curve returns the SVG path of an edge: level where it passes a column, bent between two.
func curve(way []point) string {
	var b strings.Builder
	for i, p := range way {
		switch {
		case i == 0:
			b.WriteString("M" + num(p.X) + " " + num(p.Y))
		case i%2 == 0:
			b.WriteString("H" + num(p.X))
		default:
			mid := num((way[i-1].X + p.X) / 2)
			b.WriteString("C" + mid + " " + num(way[i-1].Y) + " " + mid + " " + num(p.Y) + " " + num(p.X) + " " + num(p.Y))
		}
	}
	return b.String()
}

// visible leaves out what no text of a picture may hold: control characters are no XML, and mean something to terminals.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, text)
}

// clip cuts a text to what fits, on one line.
func clip(text string, limit int) string {
	text = strings.Join(strings.Fields(visible(text)), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:max(1, limit-1)]) + "…"
	}
	return text
}
