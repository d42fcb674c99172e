package script_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// callOut is the first argument of this test program when it acts as a client: URL, then METHOD PATH BODY of a request,
// or "tool" NAME ARGUMENTS. As a separate program it has streams that scripts can check.
const callOut = "call-out"

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

func out(ts *testscript.TestScript, neg bool, args []string) {
	name, _, _ := strings.Cut(ts.Getenv("TASKER_ACTOR"), "/")
	url, err := of(ts).serve(name, ts.Getenv("TASKER_TOKEN"))
	ts.Check(err)
	self, err := os.Executable()
	ts.Check(err)
	if err := ts.Exec(self, append([]string{callOut, url}, args...)...); (err != nil) != neg {
		ts.Fatalf("the request should have the other outcome: %v", err)
	}
}

// callServer is the client. It returns its exit code: 0 for a success.
func callServer(args []string) int {
	call := overHTTP
	if args[1] == "tool" {
		call = asTool
	}
	answer, status, ok, err := call(args[0], args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(answer)
	fmt.Fprintln(os.Stderr, status)
	if !ok {
		return 1
	}
	return 0
}

func overHTTP(url string, args []string) (answer, status string, ok bool, err error) {
	req, err := http.NewRequest(args[0], url+args[1], strings.NewReader(args[2]))
	if err != nil {
		return "", "", false, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", "", false, err
	}
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
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", DisableStandaloneSSE: true}, nil)
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
