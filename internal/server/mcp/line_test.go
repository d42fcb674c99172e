package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"tasker/internal/server/mcp"
)

// reply is the part of an answer that the tests look at.
type reply struct {
	Version string `json:"jsonrpc"`
	ID      any    `json:"id"`
	Result  any    `json:"result"`
	Error   struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// talk sends lines to a tool server as a client of a revision does, closes the stream, and returns the messages on each
// line of the answer. The server must end without an error.
func talk(t *testing.T, revision string, lines ...string) (answers [][]reply) {
	t.Helper()
	s, err := mcp.New(mcp.Options{Ops: newPlace(t, smallPlan).ops(), Version: "1", Acting: acting("robot")})
	if err != nil {
		t.Fatal(err)
	}
	in := strings.Join(append([]string{fmt.Sprintf(greeting, revision), `{"jsonrpc":"2.0","method":"notifications/initialized"}`}, lines...), "\n")
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), strings.NewReader(in), fromServer); _ = fromServer.Close() }()
	out, err := io.ReadAll(toClient)
	if err == nil {
		err = <-done
	}
	if err != nil {
		t.Errorf("the server ended with %v", err)
	}
	for line := range strings.Lines(string(out)) {
		var one reply
		var list []reply
		if json.Unmarshal([]byte(line), &one) == nil {
			list = []reply{one}
		} else if err := json.Unmarshal([]byte(line), &list); err != nil {
			t.Fatalf("it says %s: %v", line, err)
		}
		answers = append(answers, list)
	}
	return answers
}

// TestALineThatIsNoMessageIsAnsweredAndTheNextOneIsCarriedOut sends every kind of line that is not a message, in each
// revision that clients speak.
func TestALineThatIsNoMessageIsAnsweredAndTheNextOneIsCarriedOut(t *testing.T) {
	bad := []struct {
		line string
		code int
		id   any
	}{
		{`this is not JSON`, -32700, nil},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/list"`, -32700, nil},
		{`{"jsonrpc":"2.0","id":2,"method":"ping"} {"jsonrpc":"2.0","id":3,"method":"ping"}`, -32700, nil},
		{"\xff\xfe", -32700, nil},
		{"\x00", -32700, nil},
		{`null`, -32600, nil},
		{`17`, -32600, nil},
		{`"text"`, -32600, nil},
		{`{}`, -32600, nil},
		{`{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600, 7.0},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":"a","method":5}`, -32600, "a"},
		{`[]`, -32600, nil},
		{`[1]`, -32600, nil},
		{`[` + strings.Repeat(`{"jsonrpc":"2.0","method":"ping"},`, 64) + `{"jsonrpc":"2.0","id":5,"method":"ping"}]`, -32600, nil},
		{strings.Repeat(" ", 16<<20) + `{"jsonrpc":"2.0","id":2,"method":"ping"}`, -32600, nil},
	}
	for _, revision := range []string{"2024-11-05", "2025-06-18"} {
		var lines []string
		for _, b := range bad {
			lines = append(lines, b.line)
		}
		answers := talk(t, revision, append(lines, "", "\r", `{"jsonrpc":"2.0","id":99,"method":"ping"}  `)...)
		var refused []reply
		well := map[any]bool{}
		for _, a := range answers {
			if len(a) != 1 {
				t.Fatalf("%s: it says %+v", revision, a)
			}
			if a[0].Error.Code != 0 {
				refused = append(refused, a[0])
			} else {
				well[a[0].ID] = true
			}
		}
		if !well[1.0] || !well[99.0] || len(well) != 2 {
			t.Errorf("%s: the calls that succeed are %v", revision, well)
		}
		if len(refused) != len(bad) {
			t.Fatalf("%s: %d of %d lines are refused: %+v", revision, len(refused), len(bad), refused)
		}
		for i, b := range bad {
			if r := refused[i]; r.Error.Code != b.code || r.ID != b.id || r.Version != "2.0" || r.Error.Message == "" {
				t.Errorf("%s: %.80q is answered with %+v", revision, b.line, r)
			}
		}
	}
}

func TestABatchIsAnsweredByOneListWhateverItHolds(t *testing.T) {
	ping := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
	for _, revision := range []string{"2024-11-05", "2025-06-18"} {
		answers := talk(t, revision,
			`[`+ping(10)+`,{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","method":"notifications/initialized"},`+ping(11)+`]`,
			`[`+ping(20)+`,`+ping(20)+`,{"no":"message"}]`,
			`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
			`[`+ping(30)+`,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":30}},{"no":"message"}]`,
			ping(40))
		sizes := map[int]int{}
		for _, a := range answers {
			sizes[len(a)]++
		}
		// the greeting, ping 40, and the rest of the batch with the withdrawn call, which may be answered on its own
		if n := sizes[1]; sizes[2] != 1 || sizes[3] != 1 || n < 3 || n > 4 {
			t.Errorf("%s: %+v", revision, answers)
		}
	}
}

func TestABatchOverHTTPHasABound(t *testing.T) {
	url := newPlace(t, smallPlan).server("").URL + "/mcp"
	list := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+1)
		}
		return "[" + strings.TrimPrefix(b.String(), ",") + "]"
	}
	for _, n := range []int{0, 65, 50_000} {
		if f := failure(t, "POST", url, list(n)); f.Error != "refusal" || f.Hint == "" {
			t.Errorf("%d calls are answered with %+v", n, f)
		}
	}
	status, text := send(t, "POST", url, list(64), map[string]string{"MCP-Protocol-Version": "2025-03-26"})
	var answers []reply
	if err := json.Unmarshal([]byte(text), &answers); err != nil || status != 200 || len(answers) != 64 {
		t.Errorf("64 calls are answered with %d %.300s", status, text)
	}
}
