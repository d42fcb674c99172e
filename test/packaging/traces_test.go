package packaging

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// exported holds the parts that we check of what a collector of OpenTelemetry gets.
type exported struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []tag }
		ScopeSpans []struct {
			Spans []struct {
				TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
				Attributes                                                              []tag
			}
		}
	}
}

type tag struct {
	Key   string
	Value struct{ StringValue, IntValue string }
}

// A command that is part of a trace is followed through the server to the collector.
func TestATraceGoesThroughTheServer(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
	}))
	defer collector.Close()
	dir := t.TempDir()
	env := []string{"TASKER_DB=" + filepath.Join(dir, "t.db"), "HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TASKER_ACTOR=bot"}
	server := exec.Command(built, "serve", "--port", "0")
	server.Dir = dir
	server.Env = append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_SERVICE_NAME=plans", "TASKER_LOG=info", "TASKER_TOKEN=s3cret-t0ken")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	apply := exec.Command(built, "apply", "-f", "-")
	apply.Dir, apply.Stdin = dir, strings.NewReader(`{"project":"shop","tasks":[{"key":"a","title":"A"}]}`)
	apply.Env = append(env, "TASKER_URL="+strings.TrimSpace(strings.TrimPrefix(line, "Listening on ")), "TASKER_TOKEN=s3cret-t0ken",
		"TRACEPARENT=00-"+trace+"-"+parent+"-01")
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_ = server.Process.Signal(syscall.SIGTERM) // what is left is sent before it ends
	_, _ = io.Copy(io.Discard, lines)
	if err := server.Wait(); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	names, inside := map[string]bool{}, map[string]string{} // spans by name, and the parent of each span by id
	statements, ids := int64(0), map[string]string{}
	for _, body := range bodies {
		if strings.Contains(body, "s3cret") {
			t.Errorf("a span contains the token: %s", body)
		}
		var in exported
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		for _, r := range in.ResourceSpans {
			if len(r.Resource.Attributes) != 1 || r.Resource.Attributes[0].Value.StringValue != "plans" {
				t.Errorf("the resource is %v", r.Resource)
			}
			for _, s := range r.ScopeSpans[0].Spans {
				if s.TraceID != trace || len(s.SpanID) != 16 || s.EndTimeUnixNano < s.StartTimeUnixNano {
					t.Errorf("%+v", s)
				}
				names[s.Name] = true
				inside[s.SpanID], ids[s.SpanID] = s.ParentSpanID, s.Name
				for _, a := range s.Attributes {
					if a.Key == "tasker.statements" {
						n, err := strconv.ParseInt(a.Value.IntValue, 10, 64)
						if err != nil {
							t.Error(err)
						}
						statements += n
					}
				}
			}
		}
	}
	if !names["POST /v1/apply"] || !names["turn"] || !names["snapshot"] || statements == 0 {
		t.Errorf("there are spans of %v, with %d statements", names, statements)
	}
	for id, of := range inside { // a request of the trace, a turn or a snapshot of a request, or statements of one of those
		switch name := ids[id]; {
		case strings.Contains(name, "/v1/"):
			if of != parent {
				t.Errorf("%s is a part of %q", name, of)
			}
		case name == "turn" || name == "snapshot":
			if !strings.Contains(ids[of], "/v1/") {
				t.Errorf("a %s is a part of %q", name, ids[of])
			}
		case name != "statements" || ids[of] != "turn" && ids[of] != "snapshot":
			t.Errorf("%s is a part of %q", name, ids[of])
		}
	}
	if !strings.Contains(log.String(), "traceId="+trace) {
		t.Errorf("the log does not name the trace:\n%s", log.String())
	}

	refused := exec.Command(built, "serve", "--port", "0")
	refused.Dir, refused.Env = dir, append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc")
	if out, err := refused.CombinedOutput(); err == nil || refused.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "http/json") {
		t.Errorf("grpc: %v: %s", err, out)
	}
}

// What a server sends on its own is traced, too: a delivery, the webhook that it calls, and its work in the database. The
// receiver gets the id of the trace.
func TestADeliveryIsTracedToItsReceiver(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
	}))
	defer collector.Close()
	called := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called <- r.Header.Get("Traceparent") }))
	defer receiver.Close()
	dir := t.TempDir()
	settings := `{"version":1,"project":"shop","actors":[{"name":"ann","kind":"human","default":true}],
		"notifications":{"channels":[{"type":"webhook","target":"` + receiver.URL + `/s3cret"}]}}`
	if err := os.WriteFile(filepath.Join(dir, ".tasker.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"TASKER_DB=" + filepath.Join(dir, "t.db"), "HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TASKER_WEBHOOK_HOSTS=127.0.0.1"}
	server := exec.Command(built, "serve", "--port", "0")
	server.Dir, server.Env = dir, append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := "TASKER_URL=" + strings.TrimSpace(strings.TrimPrefix(line, "Listening on "))
	for _, args := range [][]string{{"apply", "-f", "-"}, {"ask", "shop-1", "Which one?", "--blocking"}} {
		cmd := exec.Command(built, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, append(env, url), strings.NewReader(`{"project":"shop","tasks":[{"key":"a","title":"A"}]}`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	parent := <-called
	_ = server.Process.Signal(syscall.SIGTERM)
	_, _ = io.Copy(io.Discard, lines)
	if err := server.Wait(); err != nil {
		t.Fatal(err)
	}
	found, jobs := "", map[string]bool{}
	for _, body := range bodies {
		if strings.Contains(body, "s3cret") {
			t.Errorf("a span contains the address: %s", body)
		}
		var in exported
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Fatal(err)
		}
		for _, s := range in.ResourceSpans[0].ScopeSpans[0].Spans {
			if s.Name == "delivery" {
				jobs[s.TraceID+s.SpanID] = true
			}
		}
		for _, s := range in.ResourceSpans[0].ScopeSpans[0].Spans {
			if s.Name == "POST webhook" && "00-"+s.TraceID+"-"+s.SpanID+"-01" == parent && jobs[s.TraceID+s.ParentSpanID] {
				found = s.SpanID
			}
		}
	}
	if found == "" {
		t.Errorf("the receiver was told %q, and no delivery has that call: %s", parent, bodies)
	}
}
