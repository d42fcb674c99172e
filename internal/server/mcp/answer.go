package mcp

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/op/summary"
	"tasker/internal/op/wire"
	"tasker/internal/text/safetext"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// answered returns the result of a success as one text: a summary of the answer, or, with full, what the route returns.
func (s *Server) answered(ctx context.Context, t *tool, reply op.Reply, full bool) (*sdk.CallToolResult, error) {
	if why := reply.News.Cause; why != nil && s.opts.Log != nil {
		s.opts.Log.LogAttrs(ctx, slog.LevelWarn, "the answer to a write is incomplete", slog.String("tool", t.listed.Name), slog.Any("error", why))
	}
	text, err := s.written(reply.Out, full)
	if err == nil {
		text, err = s.withNews(text, full, reply.News)
	}
	if err != nil {
		return nil, err
	}
	res := &sdk.CallToolResult{}
	if !t.op.Tool.Wordless && !wordless(reply.Out) || len(reply.News.Items) > 0 { // it contains text that others wrote
		res.Content = append(res.Content, &sdk.TextContent{Text: safetext.Reminder})
	}
	res.Content = append(res.Content, &sdk.TextContent{Text: text})
	return res, nil
}

// withNews returns an answer with the news for its caller added: one line each, or, with full, as the route has them.
func (s *Server) withNews(text string, full bool, news core.News) (string, error) {
	if news.None() || !strings.HasPrefix(text, "{") {
		return text, nil
	}
	if full {
		doc, err := wire.WithNews([]byte(text), news)
		if err == nil {
			doc, err = safetext.JSON(doc)
		}
		return string(doc), err
	}
	said := briefNews{Warning: news.Warning}
	for _, n := range news.Items {
		said.News = append(said.News, string(n.Task)+": "+n.Text)
	}
	if news.More {
		said.News = append(said.News, "older ones: "+s.say(hint.Events(news.Items[0].Task)))
	}
	doc, err := visible(said, wire.Language{})
	if err != nil {
		return "", err
	}
	head := strings.TrimSuffix(strings.TrimRight(text, "\n"), "}")
	if head != "{" {
		head += ","
	}
	return head + strings.TrimSpace(string(doc))[1:], nil
}

// briefNews is news in a short answer: a line each.
type briefNews struct {
	News    []string `json:"news,omitzero"`
	Warning string   `json:"warning,omitzero"`
}

// wordless reports whether an answer contains no text of tasks, although its tool may quote some.
func wordless(out any) bool {
	next, ok := out.(work.NextOut)
	return ok && next.Task == nil
}

// written returns an answer as text. An answer that already is text, such as the manual, stays as it is.
func (s *Server) written(out any, full bool) (string, error) {
	if text, ok := out.(wire.Text); ok {
		return safetext.Visible(string(text)), nil
	}
	short := shortForm(out)
	if !full && short != nil {
		out = short
	}
	text, err := visible(out, wire.Speaks(s.say, s.fetch))
	if err == nil && !full && short == nil {
		text, err = summary.Prune(text)
	}
	return string(text), err
}

// shortForm returns the summary of an answer, or nil if it has no form of its own.
func shortForm(out any) any {
	if w, ok := out.(waited); ok {
		return briefWaitedOf(w)
	}
	return summary.Of(out)
}

// briefWaited says which task is ready, or why none is; to get the task, the caller uses next.
type briefWaited struct {
	Met  bool          `json:"met"`
	Task *bundle.Brief `json:"task,omitzero"`
	Idle any           `json:"idle,omitzero"`
}

func briefWaitedOf(w waited) briefWaited {
	out := briefWaited{Met: w.Met}
	if t := w.Next.Task; t != nil {
		out.Task = &bundle.Brief{ID: t.ID, Title: t.Title, Status: t.Status}
	}
	if w.Next.Idle != nil {
		out.Idle = summary.Of(w.Next.Idle)
	}
	return out
}

// fetch names the call that fetches what an answer left out: for a task, its whole body.
func (s *Server) fetch(c fault.Call) string {
	if c.Op == op.Show.Op.Name {
		c.Args = append(c.Args[:len(c.Args):len(c.Args)], fault.Arg{Name: "full", Value: true})
	}
	return s.say(c)
}

// How many items a model gets if it does not say how many: of a list, and of each kind of what was found.
const (
	fewListed = 20
	fewFound  = 5
)

// few returns the input of a list with a limit for models, if it has none.
func few(in any) any {
	switch in := in.(type) {
	case reading.ListIn:
		in.Limit = cmp.Or(in.Limit, new(fewListed))
		return in
	case reading.SearchIn:
		in.Limit = cmp.Or(in.Limit, new(fewFound))
		return in
	}
	return in
}

// visible writes a value as routes do, without invisible characters in its texts.
func visible(v any, in wire.Language) ([]byte, error) {
	var src bytes.Buffer
	if err := wire.WriteIn(&src, v, in); err != nil {
		return nil, err
	}
	return safetext.JSON(src.Bytes())
}
