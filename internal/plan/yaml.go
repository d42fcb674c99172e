package plan

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

const (
	maxYAML        = 64 << 20 // bytes, of the text and after its aliases are expanded
	maxYAMLDepth   = 100
	maxYAMLRow     = 1_000   // entries within entries on one line, also of a text that is no list
	maxYAMLEntries = 200_000 // of lists; each takes a kilobyte while the text is parsed
	maxYAMLMerges  = 200_000 // nested merges multiply before anything is written
)

// ReadYAML reads a plan as YAML, under the same rules as Read: it is first converted to JSON, line by line, so that
// faults name its own lines. Anchors, aliases and merge keys are followed within a bound; tags other than !!str, and
// several documents, are refused. Dates are text, quoted or not.
func ReadYAML(src []byte) (*Document, error) {
	out, err := YAMLToJSON(src)
	if err != nil {
		return nil, err
	}
	return Read(out)
}

// YAMLToJSON returns a YAML document as JSON, line by line, and nothing for an empty one. Anchors are followed within a
// bound.
func YAMLToJSON(src []byte) (out []byte, err error) {
	defer func() {
		// The parser is not ours. A file that makes it panic is a faulty file, not a bug of this program.
		if p := recover(); p != nil {
			out, err = nil, notYAML(nil, "it cannot be read").WithCause(fmt.Errorf("the parser panicked: %v", p))
		}
	}()
	if len(src) > maxYAML {
		return nil, notYAML(nil, "it has more than %d bytes", maxYAML)
	}
	if !utf8.Valid(src) {
		line := 0
		for text := range bytes.Lines(src) {
			if line++; !utf8.Valid(text) {
				break
			}
		}
		return nil, fault.Bad("the plan is not valid YAML: line %d holds text that is not valid UTF-8", line).
			WithMissing(fmt.Sprintf("line %d: not valid UTF-8", line)).WithHint("save the file as UTF-8")
	}
	if err := sparse(src); err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(string(src))
	if err := shallow(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // we report duplicate keys ourselves
	if err != nil {
		var at interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &at) {
			return nil, notYAML(at.GetToken(), "%s", at.GetMessage()).WithCause(err)
		}
		return nil, notYAML(nil, "%s", err.Error()).WithCause(err)
	}
	c := converter{anchors: map[string]ast.Node{}, line: 1}
	for _, d := range file.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		if _, directive := d.Body.(*ast.DirectiveNode); directive {
			continue
		}
		if len(c.out) > 0 {
			c.fail(d.Body.GetToken(), "there is a second document")
		}
		c.value(d.Body, 0)
	}
	return c.out, c.err
}

// notYAML returns the error for a text that is not a YAML plan, with its line and column if the token has them.
func notYAML(at *token.Token, format string, args ...any) *fault.Error {
	text := fmt.Sprintf(format, args...)
	if at != nil && at.Position != nil {
		text = fmt.Sprintf("line %d, column %d: %s", at.Position.Line, at.Position.Column, text)
	}
	return fault.Bad("the plan is not valid YAML: %s", text).WithMissing(text).
		WithHint("correct the text there; nothing was written")
}

// sparse refuses a text that is all dashes, or all commas in brackets, before it is split into tokens, each of which takes a
// hundred times its two bytes. The counts are of what begins lines, wherever that is: a text of a plan may hold some, but not
// so many.
func sparse(src []byte) error {
	line, entries := 0, 0
	var in brackets
	for text := range bytes.Lines(src) {
		line++
		row, whole := 0, text
		for text = bytes.TrimLeft(text, " \t"); len(text) > 1 && (text[0] == '-' || text[0] == '?') && bytes.IndexByte([]byte(" \t\r\n"), text[1]) >= 0; row++ {
			text = bytes.TrimLeft(text[1:], " \t")
		}
		if row > maxYAMLRow {
			return notYAML(nil, "line %d: it is nested deeper than %d", line, maxYAMLDepth)
		}
		if entries += row + in.commas(whole); entries > maxYAMLEntries {
			return notYAML(nil, "line %d: its lists have more than %d entries", line, maxYAMLEntries).
				WithHint("write a larger plan as JSON, or split it into several documents; nothing was written")
		}
	}
	return nil
}

// brackets follows lists and maps in brackets over the lines of a text: how many are open, and in which quotes.
type brackets struct {
	depth int
	quote byte
	begun bool // whether a value begins here, which may be quoted
}

// commas returns how many commas of a line stand in brackets, those in quotes too. It does not know the texts of a plan,
// where a bracket that stays open counts as well.
func (in *brackets) commas(line []byte) (n int) {
	last := byte(' ')
	for i := 0; i < len(line); i++ {
		c, before := line[i], last
		last = c
		blank := before == ' ' || before == '\t'
		switch {
		case in.depth == 0:
			if (c == '[' || c == '{') && blank {
				in.depth, in.begun = 1, true
			}
			continue
		case c == ',':
			n++
			in.begun = in.quote == 0
		case in.quote == '"' && c == '\\':
			i++
		case in.quote != 0:
			if c == in.quote {
				in.quote = 0
			}
		case c == '#' && blank:
			return n
		case in.begun && (c == '&' || c == '!'): // what follows an anchor or a tag may be quoted too
			for i+1 < len(line) && !bytes.ContainsRune([]byte(" \t\r\n,"), rune(line[i+1])) {
				i++
			}
		case in.begun && (c == '"' || c == '\''):
			in.quote, in.begun = c, false
		case c == '[' || c == '{':
			in.depth, in.begun = in.depth+1, true
		case c == ']' || c == '}':
			in.depth, in.begun = in.depth-1, false
		case c == ':':
			in.begun = true
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			in.begun = false
		}
	}
	return n
}

// shallow refuses nesting that would exhaust the stack of the parser, which recurses: brackets within brackets, and
// entries, keys, anchors and tags in a row on one line. Nesting by indentation takes quadratically many bytes.
func shallow(tokens token.Tokens) error {
	depth, row, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, row = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			row++
		case token.CollectEntryType:
			row = 0
		}
		if depth > maxYAMLDepth || row > maxYAMLDepth {
			return notYAML(t, "it is nested deeper than %d", maxYAMLDepth)
		}
	}
	return nil
}

// converter writes a YAML tree as JSON, keeping each part on its line. Once it has failed, it converts nothing more.
type converter struct {
	out     []byte
	line    int
	merges  int // how many were followed
	anchors map[string]ast.Node
	err     error // the first that was found
}

// fail refuses the text.
func (c *converter) fail(at *token.Token, format string, args ...any) {
	if c.err == nil {
		c.err = notYAML(at, format, args...)
	}
}

func (c *converter) write(at *token.Token, s string) {
	if at != nil && at.Position != nil {
		for ; c.line < at.Position.Line; c.line++ {
			c.out = append(c.out, '\n')
		}
	}
	if c.out = append(c.out, s...); len(c.out) > maxYAML {
		c.fail(at, "its aliases expand it to more than %d bytes", maxYAML)
	}
}

func (c *converter) text(at *token.Token, s string) {
	q, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		c.fail(at, "it holds text that is not valid UTF-8")
	}
	c.write(at, string(q))
}

// value writes one node. Its depth is bounded, so recursion is too.
func (c *converter) value(n ast.Node, depth int) {
	at := n.GetToken()
	if depth > maxYAMLDepth {
		c.fail(at, "it is nested deeper than %d", maxYAMLDepth)
	}
	if c.err != nil {
		return
	}
	switch n := n.(type) {
	case *ast.NullNode:
		c.write(at, "null")
	case *ast.BoolNode:
		c.write(at, strconv.FormatBool(n.Value))
	case *ast.IntegerNode:
		c.write(at, fmt.Sprint(n.Value))
	case *ast.FloatNode:
		c.write(at, strconv.FormatFloat(n.Value, 'g', -1, 64))
	case *ast.StringNode:
		c.text(at, n.Value)
	case *ast.LiteralNode:
		c.text(at, n.Value.Value)
	case *ast.AnchorNode:
		c.value(n.Value, depth+1)
		c.anchors[n.Name.GetToken().Value] = n.Value // only now, so that nothing contains itself
	case *ast.AliasNode:
		if target := c.target(n); target != nil {
			c.value(target, depth+1)
		}
	case *ast.TagNode:
		c.tagged(n)
	case *ast.SequenceNode:
		c.sequence(n, depth)
	case ast.MapNode: // a mapping with one entry, or more
		c.mapping(n, depth)
	default:
		c.fail(at, "a plan has no place for %s", n.Type())
	}
}

// target returns what an alias names, or nil if nothing before it has that name.
func (c *converter) target(n *ast.AliasNode) ast.Node {
	name := n.Value.GetToken().Value
	if c.anchors[name] == nil {
		c.fail(n.GetToken(), "there is no anchor %s before this alias", words.Quoted(name))
	}
	return c.anchors[name]
}

func (c *converter) tagged(n *ast.TagNode) {
	scalar, ok := n.Value.(ast.ScalarNode)
	if tag := n.GetToken().Value; tag != "!!str" || !ok {
		c.fail(n.GetToken(), "a plan has no place for the tag %s", words.Quoted(tag))
		return
	}
	text, ok := scalar.GetValue().(string)
	if !ok {
		text = scalar.GetToken().Value
	}
	c.text(n.GetToken(), text)
}

func (c *converter) sequence(n *ast.SequenceNode, depth int) {
	c.write(n.GetToken(), "[")
	for i, v := range n.Values {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.value(v, depth+1)
	}
	c.write(nil, "]")
}

func (c *converter) mapping(n ast.MapNode, depth int) {
	members := c.members(n, depth)
	c.write(nil, "{")
	for i, m := range members {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.text(m.at, m.name)
		c.out = append(c.out, ':')
		c.value(m.value, depth+1)
	}
	c.write(nil, "}")
}

type yamlMember struct {
	name  string
	at    *token.Token
	value ast.Node
}

// members lists a mapping's own members, then the ones that merge keys bring in and that were not given before.
func (c *converter) members(n ast.MapNode, depth int) []yamlMember {
	var own []yamlMember
	var merged []ast.Node
	for it := n.MapRange(); it.Next(); {
		if key := it.Key(); key.IsMergeKey() {
			merged = append(merged, it.Value())
		} else {
			own = append(own, yamlMember{c.keyText(key), key.GetToken(), it.Value()})
		}
	}
	if merged == nil {
		return own
	}
	given := map[string]bool{}
	for _, m := range own {
		given[m.name] = true
	}
	for _, source := range merged {
		for _, m := range c.sources(source, depth+1) {
			if !given[m.name] {
				given[m.name] = true
				own = append(own, m)
			}
		}
	}
	return own
}

// sources lists the members of what a merge key names: a mapping, an alias of one, or a list of these.
func (c *converter) sources(n ast.Node, depth int) (all []yamlMember) {
	if depth > maxYAMLDepth {
		c.fail(n.GetToken(), "it is nested deeper than %d", maxYAMLDepth)
	}
	if c.merges++; c.merges > maxYAMLMerges {
		c.fail(n.GetToken(), "it has more than %d merges", maxYAMLMerges)
	}
	if c.err != nil {
		return nil
	}
	switch n := n.(type) {
	case *ast.AliasNode:
		if target := c.target(n); target != nil {
			all = c.sources(target, depth+1)
		}
	case *ast.SequenceNode:
		for _, v := range n.Values {
			all = append(all, c.sources(v, depth+1)...)
		}
	case ast.MapNode:
		all = c.members(n, depth+1)
	default:
		c.fail(n.GetToken(), "only a mapping can be merged")
	}
	return all
}

func (c *converter) keyText(key ast.MapKeyNode) string {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		if inner, ok := k.Value.(*ast.StringNode); ok {
			return inner.Value
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return key.GetToken().Value
	}
	c.fail(key.GetToken(), "a key must be text")
	return ""
}

// EditYAML returns an edit in YAML as JSON for DecodeEdit, keeping each part on its line.
func EditYAML(src []byte) ([]byte, error) {
	out, err := YAMLToJSON(src)
	if err != nil {
		e := *fault.Of(err)
		e.Message = "the task" + strings.TrimPrefix(e.Message, "the plan")
		return nil, &e
	}
	return out, nil
}
