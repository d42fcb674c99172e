package web

import (
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"tasker/internal/core/picture"
	"tasker/internal/op"
)

// graphBody is the graph page: the picture and the table that says the same.
type graphBody struct {
	*picture.NetworkOut
	Picture *drawn
	Folded  []string
	Stem    string // the address without what the controls change
	Args    string // the address's query, for the files of the same picture
}

func networkIn(r *http.Request) (in picture.NetworkIn, err error) {
	q := r.URL.Query()
	in = picture.NetworkIn{Slug: r.PathValue("slug"), Show: q.Get("show"), Focus: q.Get("focus"), Folded: splitList(q.Get("fold"))}
	if in.Up, err = number(q, "up"); err == nil {
		in.Down, err = number(q, "down")
	}
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
	p.Body = graphBody{
		NetworkOut: out, Picture: s.draw(out, in.Folded, r.URL.RequestURI()), Folded: in.Folded, Stem: r.URL.Path, Args: r.URL.Query().Encode(),
	}
	return nil
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
	ID, Title, Name, Line string
	State                 string
	X, Y                  string
	Critical              bool
	Before, After         int
	Href                  string
	Parts                 int
	Focus                 bool
	Circled               bool // it stands in a circle with its parent, and is no part of it
}

// miniature is all nodes of one state as one path, for the small picture.
type miniature struct{ State, D string }

func num(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// draw makes the picture. Texts are cut here and escaped where they are written.
func (s *site) draw(out *picture.NetworkOut, folded []string, address string) *drawn {
	d, m := out.Drawing, picture.Sizes
	p := &drawn{W: num(d.W + m.Pad), H: num(d.H + m.Pad)}
	for i, g := range out.Groups {
		f := d.Frame[i]
		if f.W == 0 {
			continue
		}
		fold, err := withParam(address, "fold", strings.Join(append([]string{string(g.ID)}, folded...), ","))
		if err != nil {
			fold = ""
		}
		p.Groups = append(p.Groups, drawnGroup{
			ID: string(g.ID), Title: visible(g.Title), Name: clip(g.Title, int(f.W/7)), X: num(f.X), Y: num(f.Y), W: num(f.W), H: num(f.H),
			TX: num(f.X + 10), TY: num(f.Y + 16), Fold: fold,
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
		p.Nodes = append(p.Nodes, s.drawNode(n, num(x), num(y), folded, address, n.ID == out.Focus))
		b := small[n.State]
		if b == nil {
			b = &strings.Builder{}
			small[n.State] = b
		}
		b.WriteString("M" + num(x) + " " + num(y) + "h" + num(m.W) + "v" + num(m.H) + "h-" + num(m.W) + "z")
	}
	for _, state := range []string{"open", "ready", "in_progress", "in_review", "done", "cancelled", "folded"} {
		if b := small[state]; b != nil {
			p.Mini = append(p.Mini, miniature{state, b.String()})
		}
	}
	return p
}

func (s *site) drawNode(n *picture.NetworkNode, x, y string, folded []string, address string, focus bool) drawnNode {
	v := drawnNode{
		ID: string(n.ID), Title: visible(n.Title), Name: clip(n.Title, 29), State: n.State, X: x, Y: y, Critical: n.Critical,
		Before: n.MoreBefore, After: n.MoreAfter, Href: "/t/" + string(n.ID), Parts: n.Parts, Focus: focus,
		Circled: n.InCircle && !n.Status.Closed() && n.Parts == 0,
	}
	switch {
	case n.Parts > 0:
		v.Line = "▸ " + plural(n.Parts, "task", "tasks") + " folded"
		rest := make([]string, 0, len(folded))
		for _, f := range folded {
			if !strings.EqualFold(f, v.ID) {
				rest = append(rest, f)
			}
		}
		if to, err := withParam(address, "fold", strings.Join(rest, ",")); err == nil {
			v.Href = to
		}
	case n.Claim != nil:
		v.Line = glyph(n.State) + " " + v.ID + " · " + n.Claim.Actor + " " + strings.TrimSuffix(s.when(n.Claim.ClaimedAt).Text, " ago")
	default:
		v.Line = glyph(n.State) + " " + v.ID + " · " + word(n.State)
	}
	v.Line = clip(v.Line, 33)
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
