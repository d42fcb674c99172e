package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/testkit/optest"
)

func TestEveryKindOfFaultHasItsStatus(t *testing.T) {
	for _, kind := range fault.Kinds {
		status := kind.Status()
		if status < 400 {
			t.Errorf("kind %s has no status", kind.Code())
		}
	}
}

func TestEveryKindOfFaultIsAnsweredInTheOneShape(t *testing.T) {
	for _, kind := range fault.Kinds {
		s := New(options(&calls{do: func(context.Context, *op.Op, any) (any, error) {
			return nil, fault.New(kind, "no").WithMissing("a").WithHint("h")
		}}))
		resp := ask(s, request("GET", "/v1/version", ""))
		f := failure(t, resp)
		if resp.Status != kind.Status() || f.Error != kind.Code() || f.Reason != kind.Reason() {
			t.Errorf("kind %s: %d %+v", kind.Code(), resp.Status, f)
		}
		switch kind {
		case fault.Internal: // its message is for the log
			continue
		case fault.Unauthorized: // two members: what to do ends the message
			if f.Message != "no: h" {
				t.Errorf("the missing credential is told as %+v", f)
			}
			continue
		}
		if f.Message != "no" || len(f.Missing) != 1 || f.Hint != "h" {
			t.Errorf("kind %s lost its message, hint or missing: %+v", kind.Code(), f)
		}
	}
}

func TestAnUnexpectedErrorGoesToTheLogAndNotToTheClient(t *testing.T) {
	var log bytes.Buffer
	opts := options(&calls{do: func(context.Context, *op.Op, any) (any, error) {
		return nil, errors.New("postgres://user:hunter2@db")
	}})
	opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	resp := ask(New(opts), request("GET", "/v1/version", ""))
	body := resp.Body
	if resp.Status != 500 || bytes.Contains(body, []byte("hunter2")) || !bytes.Contains(body, []byte("id-1")) {
		t.Errorf("%d %s", resp.Status, body)
	}
	if !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "requestId=id-1") {
		t.Errorf("the log does not name the error: %s", &log)
	}
}

func TestAPanicIsAnsweredAndLogged(t *testing.T) {
	var log bytes.Buffer
	opts := options(&calls{do: func(context.Context, *op.Op, any) (any, error) { panic("boom") }})
	opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	resp := ask(New(opts), request("POST", "/v1/next", `{"project":"demo"}`))
	if f := failure(t, resp); resp.Status != 500 || f.Error != "internal" || strings.Contains(f.Message, "boom") {
		t.Errorf("%d %+v", resp.Status, f)
	}
	if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), "answer_test.go") {
		t.Errorf("the log does not say where: %s", &log)
	}
}

func TestAPanicInTheMiddleOfAnAnswerCutsItOff(t *testing.T) {
	opts := options(&calls{})
	opts.Extra = map[string]HandlerFunc{"GET /half": func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = io.WriteString(w, "half")
		panic("boom")
	}}
	srv := httptest.NewServer(New(opts))
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/half")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("an answer that broke off is read without an error")
	}
}

func TestEveryAnswerCarriesItsHeaders(t *testing.T) {
	s := New(options(&calls{}))
	for _, r := range []*http.Request{request("GET", "/v1/version", ""), request("POST", "/v1/next", "{"), request("GET", "/nothing", "")} {
		resp := ask(s, r)
		for name, want := range map[string]string{
			"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Request-Id": "id-1",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", r.Method, r.URL, name, got, want)
			}
		}
	}
}

func TestARequestIDIsTakenWhereItIsSane(t *testing.T) {
	c := &calls{}
	s := New(options(c))
	for given, want := range map[string]string{
		"abc-1.2:3/4": "abc-1.2:3/4", "with space": "id-1", "line\u2028": "id-1", strings.Repeat("x", 129): "id-1", `"quote`: "id-1",
	} {
		resp := ask(s, request("GET", "/v1/version", "", "X-Request-Id", given))
		if got := resp.Header.Get("X-Request-Id"); got != want || string(c.last.Via.RequestID) != want {
			t.Errorf("%q became %q and %q", given, got, c.last.Via.RequestID)
		}
	}
}

func TestEveryOperationAnswersItsStatusAndItsOutput(t *testing.T) {
	s := New(options(&calls{}))
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		in := optest.In(o)
		req, err := o.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		resp := ask(s, request(o.Method, "/v1"+req.Path+"?"+req.Query, string(req.Body)))
		body := resp.Body
		var want bytes.Buffer
		kind := "application/json"
		if text, ok := optest.Out(o).(wire.Text); ok {
			kind = "text/plain; charset=utf-8"
			want.WriteString(string(text))
		} else if err := wire.WriteIn(&want, optest.Out(o), routes); err != nil {
			t.Fatal(err)
		}
		if resp.Status != o.SuccessOf(in) || !bytes.Equal(body, want.Bytes()) || resp.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %s %.300s", o.Name, resp.Status, resp.Header.Get("Content-Type"), body)
		}
	}
}

func TestWhatNoRouteTakesIsAnsweredInTheOneShape(t *testing.T) {
	s := New(options(&calls{}))
	for _, c := range []struct {
		method, target string
		status         int
		allow          string
	}{
		{"GET", "/v1/nothing", 404, ""},
		{"GET", "/v1", 404, ""},
		{"GET", "/v1/", 404, ""},
		{"GET", "/v1/version/", 404, ""},
		{"GET", "//v1/version", 404, ""},
		{"GET", "/v1/./version", 404, ""},
		{"GET", "/v1/x/../version", 404, ""},
		{"GET", "/v1/version/..", 404, ""},
		{"GET", "/v1/tasks/", 404, ""},
		{"POST", "/v1/tasks//claim", 404, ""},
		{"GET", "/V1/version", 404, ""},
		{"POST", "/v1/version", 405, "GET, HEAD"},
		{"DELETE", "/v1/tasks/demo-1", 405, "GET, HEAD"},
		{"PUT", "/v1/tasks", 405, "GET, HEAD, POST"},
		{"GET", "/v1/tasks/demo-1/claim", 405, "POST"},
		{"OPTIONS", "/v1/next", 405, "GET, HEAD, POST"},
		{"TRACE", "/", 405, "GET, HEAD"},
		{"POST", "/", 405, "GET, HEAD"},
	} {
		resp := ask(s, request(c.method, c.target, ""))
		if resp.Status != c.status || resp.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q", c.method, c.target, resp.Status, resp.Header.Get("Allow"))
		}
		failure(t, resp)
	}
}

func TestOddRequestLinesAreAnsweredInTheOneShape(t *testing.T) {
	s := New(options(&calls{}))
	for _, change := range []func(*http.Request){
		func(r *http.Request) { r.Method = "OPTIONS"; r.RequestURI = "*"; r.URL.Path = "*" },
		func(r *http.Request) { r.Method = "CONNECT"; r.URL.Path = "" },
		func(r *http.Request) { r.URL.Path = "" },
		func(r *http.Request) { r.URL.Path = "/v1/tasks/\xff" },
		func(r *http.Request) { r.URL.Path = "/v1/tasks/a\x00b" },
	} {
		r := request("GET", "/x", "")
		change(r)
		resp := ask(s, r)
		if resp.Status != 404 && resp.Status != 422 {
			t.Errorf("%s %q: %d", r.Method, r.URL.Path, resp.Status)
		}
		failure(t, resp)
	}
}

func TestAnEscapedSlashStaysInItsSegment(t *testing.T) {
	c := &calls{}
	s := New(options(c))
	for _, id := range []string{"a%2Fb", "%2E%2E", "%2e"} {
		if resp := ask(s, request("GET", "/v1/tasks/"+id, "")); resp.Status != 200 {
			t.Errorf("%s: %d", id, resp.Status)
		}
	}
}

func TestTheAccessLogHoldsNoSecrets(t *testing.T) {
	var log bytes.Buffer
	opts := options(&calls{})
	opts.Token = "tok-secret"
	opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	ask(New(opts), request("POST", "/v1/tasks?project=query-secret", `{"title":"body-secret"}`, "Authorization", "Bearer tok-secret", "Cookie", "c=cookie-secret"))
	line := log.String()
	if !strings.Contains(line, "status=201") || !strings.Contains(line, "path=/v1/tasks") || !strings.Contains(line, "requestId=id-1") {
		t.Errorf("the line does not say what happened: %s", line)
	}
	if strings.Contains(line, "secret") {
		t.Errorf("a secret is in the log: %s", line)
	}
}
