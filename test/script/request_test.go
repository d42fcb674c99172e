package script_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// request sends an HTTP request to a server that acts as the same actor as the script.
func request(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: request METHOD PATH [BODY]")
	}
	out(ts, neg, append(args, "")[:3])
}

// tool calls a tool of a server that acts as the same actor as the script.
func tool(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: tool NAME [ARGUMENTS]")
	}
	out(ts, neg, append([]string{"tool"}, append(args, "{}")[:2]...))
}

// out calls the server, and gives its answer to the script's next lines as the output of a program.
func out(ts *testscript.TestScript, neg bool, args []string) {
	answer, status, ok, err := called(ts, args)
	if err != nil {
		ok, status = false, err.Error()
	} else {
		_, err = fmt.Fprintln(ts.Stdout(), answer)
		ts.Check(err)
	}
	_, err = fmt.Fprintln(ts.Stderr(), status)
	ts.Check(err)
	if ok == neg {
		ts.Fatalf("the request should have the other outcome: %s: %s", status, answer)
	}
}

// called sends METHOD PATH BODY, or calls "tool" NAME ARGUMENTS.
func called(ts *testscript.TestScript, args []string) (answer, status string, ok bool, err error) {
	name, _, _ := strings.Cut(ts.Getenv("TASKER_ACTOR"), "/")
	url, err := of(ts).serve(name, ts.Getenv("TASKER_TOKEN"))
	ts.Check(err)
	if args[0] == "tool" {
		return asTool(url, args)
	}
	return overHTTP(url, args)
}

// once is a client that leaves no connection behind, as a program that ends does.
var once = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}

func overHTTP(url string, args []string) (answer, status string, ok bool, err error) {
	req, err := http.NewRequest(args[0], url+args[1], strings.NewReader(args[2]))
	if err != nil {
		return "", "", false, err
	}
	res, err := once.Do(req)
	if err != nil {
		return "", "", false, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return string(body), res.Status, res.StatusCode < 400, err
}

func asTool(url string, args []string) (answer, status string, ok bool, err error) {
	var arguments map[string]any
	if err := json.Unmarshal([]byte(args[2]), &arguments); err != nil {
		return "", "", false, err
	}
	ctx := context.Background()
	c := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url + "/mcp?tools=all", DisableStandaloneSSE: true, HTTPClient: once}, nil)
	if err != nil {
		return "", "", false, err
	}
	defer func() { _ = session.Close() }()
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: args[1], Arguments: arguments})
	if err != nil {
		return "", "", false, err
	}
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			answer += text.Text
		}
	}
	status = "answered"
	if res.IsError {
		status = "refused"
	}
	return answer, status, !res.IsError, nil
}
