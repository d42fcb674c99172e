package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxBatch bounds the messages of one batch: all of them are carried out at once, and all answers are kept until the
// last.
const maxBatch = 64

var (
	errManyCalls = fmt.Errorf("a batch holds more than %d messages, which is the maximum", maxBatch)
	errNoCalls   = errors.New("a batch holds no message")
)

// parts returns the values of a list that is valid JSON and no longer than a batch may be.
func parts(list []byte) (out []jsontext.Value, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(list), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if len(out) == maxBatch {
			return nil, errManyCalls
		}
		out = append(out, v.Clone())
	}
	if len(out) == 0 {
		return nil, errNoCalls
	}
	return out, nil
}

// decode reads a message, or returns the answer to a text that is not one.
func decode(text []byte) (msg jsonrpc.Message, refused []byte) {
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, refusal(text, jsonrpc.CodeInvalidRequest, "this is not a message of JSON-RPC 2.0")
	}
	return msg, nil
}

// refusal returns the answer to a text that could not be read as a message, with its id, if it has one.
func refusal(of []byte, code int, words string) []byte {
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	answer := struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Error   fault  `json:"error"`
	}{"2.0", idOf(of), fault{code, words}}
	text, _ := json.Marshal(answer) // an id that was read can be written
	return text
}

// idOf returns the id of a text that may be a message, or nil if it has no valid one.
func idOf(text []byte) any {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(text, &m) != nil || len(m.ID) == 0 {
		return nil
	}
	switch m.ID[0] {
	case '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return m.ID
	}
	return nil
}

// withdrawal returns the call that a notification withdraws.
func withdrawal(m *jsonrpc.Request) (jsonrpc.ID, bool) {
	var of struct {
		RequestID any `json:"requestId"`
	}
	if m.Method != "notifications/cancelled" || json.Unmarshal(m.Params, &of) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(of.RequestID)
	return id, err == nil && id.IsValid()
}
