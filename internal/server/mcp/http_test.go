package mcp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/op/wire"
	"tasker/internal/server/mcp"
)

// same compares everything except the hints, which are in the language of each face.
func same(a, b wire.Failure) bool {
	a.Hint, b.Hint = "", ""
	return reflect.DeepEqual(a, b)
}

// send makes a request and returns its status and body.
func send(t *testing.T, method, url, body string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func failure(t *testing.T, method, url, body string) wire.Failure {
	t.Helper()
	_, text := send(t, method, url, body, nil)
	var f wire.Failure
	if err := json.Unmarshal([]byte(text), &f); err != nil || f.Message == "" {
		t.Fatalf("%s %s answered %s", method, url, text)
	}
	return f
}

const listCall = `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`

func TestTheToolsAreBehindTheFrontDoor(t *testing.T) {
	url := newPlace(t, smallPlan).server("secret").URL + "/mcp"
	for _, c := range []struct {
		name, method, body string
		header             map[string]string
		want               int
	}{
		{"with the token", "POST", listCall, map[string]string{"Authorization": "Bearer secret"}, 200},
		{"whatever its declared type", "POST", listCall, map[string]string{"Authorization": "Bearer secret", "Content-Type": "text/plain", "Accept": "*/*"}, 200},
		{"without it", "POST", listCall, nil, 401},
		{"with another", "POST", listCall, map[string]string{"Authorization": "Bearer wrong"}, 401},
		{"under a foreign name", "POST", listCall, map[string]string{"Authorization": "Bearer secret", "Host": "evil.example"}, 403},
		{"from another site", "POST", listCall, map[string]string{"Authorization": "Bearer secret", "Origin": "https://evil.example"}, 403},
		{"from another site by its other header", "POST", listCall, map[string]string{"Authorization": "Bearer secret", "Sec-Fetch-Site": "cross-site"}, 403},
		{"that is not JSON", "POST", `{"jsonrpc`, map[string]string{"Authorization": "Bearer secret"}, 422},
		{"by a method that it does not take", "GET", "", nil, 405},
		{"to end a session that does not exist", "DELETE", "", map[string]string{"Authorization": "Bearer secret"}, 405},
	} {
		status, text := send(t, c.method, url, c.body, c.header)
		if status != c.want {
			t.Errorf("a request %s is answered with %d: %s", c.name, status, text)
		}
		var f wire.Failure
		if c.want != 200 && (json.Unmarshal([]byte(text), &f) != nil || f.Error == "") {
			t.Errorf("a request %s is not answered in the one shape: %s", c.name, text)
		}
	}
	all := map[string]string{"Authorization": "Bearer secret"}
	if _, text := send(t, "POST", url+"?tools=all", listCall, all); !strings.Contains(text, "tasker_events") {
		t.Errorf("not all tools: %s", text)
	}
	if status, _ := send(t, "POST", url+"?tools=some", listCall, all); status != 422 {
		t.Errorf("?tools=some is answered with %d", status)
	}
	if status, text := send(t, "POST", url, `"`+strings.Repeat("x", 16<<20)+`"`, all); status != 413 {
		t.Errorf("a large body is answered with %d: %.200s", status, text)
	}
}

func TestAnInstanceOverHTTPHoldsItsOwn(t *testing.T) {
	url := newPlace(t, smallPlan).server("").URL
	a, b := remote(t, url, map[string]string{"Tasker-Instance": "1"}), remote(t, url, map[string]string{"Tasker-Instance": "2"})
	if got := a.answer("tasker_next", object{"project": "demo"}); get(got, "claimed.actor") != "server/1" {
		t.Fatalf("next answered %v", got)
	}
	if f := b.refusal("tasker_claim", object{"id": "demo-1"}); f.Reason != "declined" {
		t.Errorf("another instance claims it: %+v", f)
	}
	if got := b.answer("tasker_next", object{"project": "demo"}); got["task"] != nil {
		t.Errorf("another instance is given %v", got)
	}
}

// TestEveryRevisionOfTheProtocolIsSpoken shakes hands as a client of each revision does.
func TestEveryRevisionOfTheProtocolIsSpoken(t *testing.T) {
	versions := sdk.SupportedProtocolVersions()
	if oldest := versions[len(versions)-1]; oldest != "2024-11-05" || len(versions) < 5 {
		t.Fatalf("the SDK speaks %v", versions)
	}
	p := newPlace(t, smallPlan)
	url := p.server("").URL + "/mcp"
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version +
				`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
			ready := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
			meta := ""
			if version >= "2026-07-28" { // has no handshake: every request says who asks
				meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version +
					`","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
				hello = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta[1:] + `}}`
				ready = ""
			}
			call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tasker_show","arguments":{"id":"demo-1"}` + meta + `}}`

			header := map[string]string{"MCP-Protocol-Version": version}
			if version >= "2026-07-28" {
				header["Mcp-Method"] = "server/discover"
			}
			check(t, version, body(t, url, hello, header), `"instructions":"Tasker`)
			if version >= "2026-07-28" {
				header["Mcp-Method"], header["Mcp-Name"] = "tools/call", "tasker_show"
			}
			check(t, version, body(t, url, call, header), `"type":"text"`)

			s, err := mcp.New(mcp.Options{Ops: p.ops(), Version: "1", Acting: acting("robot")})
			if err != nil {
				t.Fatal(err)
			}
			toServer, fromClient := pipe(t)
			toClient, fromServer := pipe(t)
			done := make(chan error, 1)
			go func() { done <- s.Serve(t.Context(), toServer, fromServer); _ = fromServer.Close() }()
			for _, line := range []string{hello, ready, call} {
				if line != "" {
					if _, err := io.WriteString(fromClient, line+"\n"); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := fromClient.Close(); err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(toClient)
			if err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Errorf("the server ended with %v", err)
			}
			check(t, version, string(text), `"instructions":"Tasker`)
			check(t, version, string(text), `"type":"text"`)
		})
	}
}

func body(t *testing.T, url, text string, header map[string]string) string {
	t.Helper()
	status, got := send(t, "POST", url, text, header)
	if status != 200 {
		t.Fatalf("%s is answered with %d: %s", text, status, got)
	}
	return got
}

func check(t *testing.T, version, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) || strings.Contains(text, `"error":{`) {
		t.Errorf("%s: %s is not in %s", version, want, text)
	}
	if strings.Contains(want, "instructions") && !strings.Contains(text, `"`+version+`"`) {
		t.Errorf("the answer does not speak %s: %s", version, text)
	}
}
