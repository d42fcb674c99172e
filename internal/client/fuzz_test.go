package client

import (
	"bufio"
	"bytes"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Whatever a server sends, the reader ends, and passes events on in the order in which they arrived.
func FuzzReadStream(f *testing.F) {
	f.Add([]byte("retry: 1000\nid: 41\n\nid: 42\ndata: {\"id\":42,\"payload\":{}}\n\n: beat\n\n"))
	f.Add([]byte("event: error\ndata: {\"error\":\"not_found\",\"message\":\"gone\",\"missing\":[],\"hint\":null}\n\n"))
	f.Add([]byte("data: {\"id\":\ndata: 7}\r\n\r\ndata\n\n:\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		handed := 0
		s := &stream{send: func(page []task.Event) error { handed += len(page); return nil }}
		err := s.read(bufio.NewReader(bytes.NewReader(src)), func() {})
		if err != nil && fault.Of(err).Message == "" {
			t.Fatalf("the stream ends with an error without a message: %#v", err)
		}
		if len(s.page) > 0 {
			t.Fatalf("%d whole events were not handed on", len(s.page))
		}
		if handed > bytes.Count(src, []byte("\n")) {
			t.Fatalf("%d events out of %d lines", handed, bytes.Count(src, []byte("\n")))
		}
	})
}

func FuzzReadRefusal(f *testing.F) {
	f.Add(404, []byte(`{"error":"not_found","message":"gone","missing":["a"],"hint":"h"}`))
	f.Add(502, []byte("<html>"))
	c := &Client{base: "http://localhost/v1"}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		err := c.refusal(status, body)
		if e := fault.Of(err); e == nil || e.Message == "" {
			t.Fatalf("%d %q became %v", status, body, err)
		}
	})
}
