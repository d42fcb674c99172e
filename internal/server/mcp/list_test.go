package mcp_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/op"
	"tasker/internal/server/mcp"
	"tasker/internal/testkit/o200k"
)

var update = flag.Bool("update", false, "rewrite testdata/tools.json")

// connected returns a client of a server in this process.
func connected(t *testing.T, opts mcp.Options) *sdk.ClientSession {
	t.Helper()
	s, err := mcp.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	toServer, fromClient := pipe(t)
	toClient, fromServer := pipe(t)
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), toServer, fromServer) }()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return c
}

func pipe(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	return r, w
}

func listing(t *testing.T, all bool) []*sdk.Tool {
	t.Helper()
	res, err := connected(t, mcp.Options{Ops: nobody{}, Version: "1", All: all}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return res.Tools
}

func TestTheListOfToolsIsShortAndCheap(t *testing.T) {
	tools := listing(t, false)
	if len(tools) > 15 || tools[0].Name != "tasker_next" {
		t.Errorf("%d tools, and %s is the first", len(tools), tools[0].Name)
	}
	text, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	tokens := o200k.Count(string(text))
	t.Logf("%d tools cost %d tokens, in %d bytes", len(tools), tokens, len(text))
	if tokens >= 2000 || len(text) > 4*2000 {
		t.Errorf("the list costs %d tokens in %d bytes, and may cost 2000, of four bytes:\n%s", tokens, len(text), text)
	}
}

func TestTheToolsAreThoseThatWereLookedAt(t *testing.T) {
	text, err := json.MarshalIndent(listing(t, false), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const page = "testdata/tools.json"
	if *update {
		if err := os.WriteFile(page, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil || strings.TrimSpace(string(want)) != string(text) {
		t.Errorf("the tools are not what %s says (%v); look at the difference after: go test ./internal/server/mcp -update", page, err)
	}
}

func TestEveryOperationWithARouteCanBeATool(t *testing.T) {
	tools := listing(t, true)
	for _, o := range op.Table {
		i := slices.IndexFunc(tools, func(tool *sdk.Tool) bool { return tool.Name == o.Tool.Name })
		if (i >= 0) != (o.Method != "") {
			t.Errorf("%s has the method %q, and is tool %d", o.Name, o.Method, i)
			continue
		}
		if i < 0 {
			continue
		}
		tool := tools[i]
		if a := tool.Annotations; tool.Description == "" || tool.OutputSchema != nil || a == nil || a.ReadOnlyHint != (o.Method == "GET") ||
			a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s is not described: %+v", tool.Name, tool)
		}
		in := tool.InputSchema.(map[string]any)
		for _, name := range []string{"force", "fence"} {
			if props, ok := in["properties"].(map[string]any); ok && props[name] != nil {
				t.Errorf("%s takes %s", tool.Name, name)
			}
		}
	}
}

// A client that works unattended asks nobody: it calls what overwrites nothing and reaches nowhere, and holds the rest back.
// What is destructive is written here once more, so that a new one is a decision.
func TestWhatOverwritesSaysSo(t *testing.T) {
	overwrite := map[string]bool{"tasker_apply": true, "tasker_edit": true}
	for _, tool := range listing(t, true) {
		if a := tool.Annotations; !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint != overwrite[tool.Name]) {
			t.Errorf("%s says destructive: %v", tool.Name, a.DestructiveHint)
		}
	}
}
