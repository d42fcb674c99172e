package jira

import (
	"cmp"
	"strings"
)

// node is a part of a document in the Atlassian Document Format.
type node struct {
	Type    string         `json:"type"`
	Version int            `json:"version,omitzero"`
	Text    string         `json:"text,omitzero"`
	Attrs   map[string]any `json:"attrs,omitzero"`
	Content []node         `json:"content,omitzero"`
}

// maxDepth is how deep the parts of a document may nest; deeper ones are left out.
const maxDepth = 50

// text returns the text of a document: blocks separated by an empty line, list items with a dash.
// It restores exactly what documentOf was given.
func (n node) text() string { return strings.Join(blocks(n.Content, maxDepth), "\n\n") }

func blocks(list []node, depth int) []string {
	var out []string
	if depth == 0 {
		return nil
	}
	for _, b := range list {
		switch b.Type {
		case "bulletList", "orderedList", "taskList", "decisionList":
			var items []string
			for _, item := range b.Content {
				own := cmp.Or(strings.Join(blocks(item.Content, depth-1), "\n"), inline(item.Content))
				items = append(items, "- "+strings.ReplaceAll(own, "\n", "\n  "))
			}
			out = append(out, strings.Join(items, "\n"))
		case "codeBlock":
			out = append(out, "```\n"+inline(b.Content)+"\n```")
		case "heading":
			level := 1
			if l, ok := b.Attrs["level"].(float64); ok && l >= 1 && l <= 6 {
				level = int(l)
			}
			out = append(out, strings.Repeat("#", level)+" "+inline(b.Content))
		case "rule":
			out = append(out, "---")
		case "paragraph":
			out = append(out, inline(b.Content))
		case "text", "hardBreak", "mention", "emoji", "inlineCard":
		default: // panels, quotes, tables: their content
			out = append(out, blocks(b.Content, depth-1)...)
		}
	}
	return out
}

func inline(list []node) string {
	var s strings.Builder
	for _, n := range list {
		switch n.Type {
		case "text":
			s.WriteString(n.Text)
		case "hardBreak":
			s.WriteByte('\n')
		case "mention", "emoji":
			if t, ok := n.Attrs["text"].(string); ok {
				s.WriteString(t)
			}
		case "inlineCard":
			if t, ok := n.Attrs["url"].(string); ok {
				s.WriteString(t)
			}
		}
	}
	return s.String()
}

// documentOf returns a text as a document of paragraphs.
func documentOf(text string) node {
	doc := node{Type: "doc", Version: 1}
	for _, block := range strings.Split(text, "\n\n") {
		p := node{Type: "paragraph"}
		for i, line := range strings.Split(block, "\n") {
			if i > 0 {
				p.Content = append(p.Content, node{Type: "hardBreak"})
			}
			if line != "" {
				p.Content = append(p.Content, node{Type: "text", Text: line})
			}
		}
		doc.Content = append(doc.Content, p)
	}
	return doc
}
