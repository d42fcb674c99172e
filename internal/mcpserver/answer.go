package mcpserver

import (
	"bytes"
	stdjson "encoding/json"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/core/work"
	"tasker/internal/op/wire"
	"tasker/internal/safetext"
)

// raw is JSON that is written already, as the SDK's own JSON package knows it.
type raw = stdjson.RawMessage

// maxSkipped is how many passed-over tasks a model is told of.
const maxSkipped = 3

// answered returns the result of a success: the answer as structured content, and once more as text for clients that read only that.
func (s *Server) answered(t *tool, out any) (*mcp.CallToolResult, error) {
	switch o := out.(type) {
	case work.NextOut:
		out = cutSkipped(o)
	case work.MoveOut:
		if o.Next != nil {
			next := cutSkipped(*o.Next)
			o.Next = &next
		}
		out = o
	}
	switch v := reflect.Indirect(reflect.ValueOf(out)); v.Kind() {
	case reflect.Struct, reflect.Map:
	case reflect.String:
		out = map[string]any{wrapped("string"): out}
	default:
		out = map[string]any{wrapped("array"): out}
	}
	text, err := visible(out, wire.Speaks(s.say, s.say))
	if err != nil {
		return nil, err
	}
	res := &mcp.CallToolResult{StructuredContent: raw(text)}
	if !t.op.Tool.Wordless { // it holds text that others wrote
		res.Content = append(res.Content, &mcp.TextContent{Text: safetext.Mark})
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: string(text)})
	return res, nil
}

func cutSkipped(out work.NextOut) work.NextOut {
	if len(out.Skipped) > maxSkipped {
		out.Skipped, out.SkippedMore = out.Skipped[:maxSkipped], true
	}
	return out
}

// visible writes a value as routes do, without the characters in its texts that no reader sees.
func visible(v any, in wire.Language) ([]byte, error) {
	var src bytes.Buffer
	if err := wire.WriteIn(&src, v, in); err != nil {
		return nil, err
	}
	return safetext.JSON(src.Bytes())
}
