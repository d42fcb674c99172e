package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/graph/layout"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/chart"
)

type point = layout.Point

// graphFile serves the picture of a graph page as a file: graph.svg, graph.dot or graph.mmd.
func (s *site) graphFile(w http.ResponseWriter, r *http.Request) error {
	a := &asker{s: s, r: r}
	in := networkIn(a)
	if a.err != nil {
		return a.err
	}
	name := r.PathValue("file")
	if name != "graph.svg" && name != "graph.dot" && name != "graph.mmd" {
		return fault.Missing("there is no file %s of a graph", chart.Clip(name, 60)).WithHint("graph.svg, graph.dot or graph.mmd")
	}
	out := ask(a, op.Network, in)
	if a.err != nil {
		return a.err
	}
	part, err := windowOf(a.value("window"))
	if err != nil {
		return err
	}
	if part != nil {
		out = part.of(out)
	}
	var buf bytes.Buffer
	kind := "text/plain; charset=utf-8"
	switch name {
	case "graph.svg":
		kind = "image/svg+xml"
		p := s.draw(out, in, r.URL.RequestURI())
		p.Styled = true
		part.show(p)
		if err := s.fill(r, &buf, "graph", "net", p); err != nil {
			return err
		}
	case "graph.dot":
		dot(&buf, out)
	default:
		mermaid(&buf, out)
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+task.LowerSlug(in.Slug)+"-"+name+`"`)
	guard(h)
	return sendMade(w, r, http.StatusOK, buf.Bytes())
}

// dot writes the graph in Graphviz's language.
func dot(buf *bytes.Buffer, out *picture.NetworkOut) {
	text := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(chart.Clip(s, 200)) + `"`
	}
	fmt.Fprintf(buf, "digraph %s {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", text(out.Project))
	for _, n := range out.Nodes {
		fmt.Fprintf(buf, "  %s [label=%s, class=%s];\n", text(string(n.ID)), text(string(n.ID)+" "+n.Title+" ("+chart.Word(n.State)+")"), text(n.State))
	}
	for _, e := range out.Edges {
		fmt.Fprintf(buf, "  %s -> %s", text(string(out.Nodes[e.From].ID)), text(string(out.Nodes[e.To].ID)))
		switch {
		case e.Critical && e.Part:
			buf.WriteString(" [penwidth=3, style=dashed]")
		case e.Critical:
			buf.WriteString(" [penwidth=3]")
		case e.Part:
			buf.WriteString(" [style=dashed]")
		}
		buf.WriteString(";\n")
	}
	buf.WriteString("}\n")
}

// mermaid writes the graph in Mermaid's language. Characters that could be syntax there are written as character codes.
func mermaid(buf *bytes.Buffer, out *picture.NetworkOut) {
	text := func(s string) string {
		var b strings.Builder
		for _, r := range chart.Clip(s, 200) {
			if r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == ' ' || r == '-' || r == '.') {
				fmt.Fprintf(&b, "#%d;", r)
				continue
			}
			b.WriteRune(r)
		}
		return b.String()
	}
	buf.WriteString("flowchart LR\n")
	for i, n := range out.Nodes {
		fmt.Fprintf(buf, "  n%d[\"%s %s\"]:::%s\n", i, text(string(n.ID)), text(n.Title), n.State)
	}
	for _, e := range out.Edges {
		arrow := "-->"
		switch {
		case e.Critical:
			arrow = "==>"
		case e.Part:
			arrow = "-.->"
		}
		fmt.Fprintf(buf, "  n%d %s n%d\n", e.From, arrow, e.To)
	}
	buf.WriteString("  classDef ready fill:#d9f1f3,stroke:#075f68\n  classDef in_progress fill:#e4ecfd,stroke:#1d4fc4\n" +
		"  classDef in_review fill:#f4e9fb,stroke:#7a3aa8\n  classDef done fill:#e2f4e8,stroke:#17683a\n")
}
