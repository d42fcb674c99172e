package fetch_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tasker/internal/workspace/env/fetch"
)

// patient returns a client that records its pauses instead of waiting.
func patient() (fetch.Client, *[]time.Duration) {
	var pauses []time.Duration
	return fetch.Client{Wait: func(_ context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return nil
	}}, &pauses
}

func ask(t *testing.T, c fetch.Client, url string) (fetch.Answer, error) {
	t.Helper()
	s := c.Open(fetch.Options{Named: []string{url}})
	defer s.Close()
	return s.Do(t.Context(), fetch.Request{Method: "GET", URL: url, Header: map[string]string{"X-Token": "hunter2"}})
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestABusyServerIsAskedAgain(t *testing.T) {
	n := 0
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		switch n {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
		case 2:
			w.WriteHeader(502)
		default:
			_, _ = w.Write([]byte(r.Header.Get("X-Token")))
		}
	})
	c, pauses := patient()
	a, err := ask(t, c, url)
	if err != nil || a.Status != 200 || string(a.Body) != "hunter2" {
		t.Fatalf("%+v, %v", a, err)
	}
	if p := *pauses; len(p) != 2 || p[0] != 7*time.Second || p[1] < 400*time.Millisecond || p[1] > 600*time.Millisecond {
		t.Errorf("the pauses are %v", p)
	}
}

func TestTriesHaveAnEnd(t *testing.T) {
	n := 0
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { n++; w.WriteHeader(503) })
	c, pauses := patient()
	a, err := ask(t, c, url)
	if err != nil || a.Status != 503 || n != 4 || len(*pauses) != 3 {
		t.Errorf("%+v, %v after %d tries", a, err, n)
	}
}

func TestNobodyWaitsPastTheLimit(t *testing.T) {
	n := 0
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		w.Header().Set("Retry-After", time.Now().Add(24*time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(429)
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	s := fetch.Client{}.Open(fetch.Options{Named: []string{url}})
	defer s.Close()
	a, err := s.Do(ctx, fetch.Request{Method: "GET", URL: url})
	if err != nil || a.Status != 429 || n != 1 || a.After < 23*time.Hour {
		t.Errorf("%+v, %v after %d tries", a, err, n)
	}
}

func TestACancelledRequestSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	s := fetch.Client{}.Open(fetch.Options{Named: []string{url}})
	defer s.Close()
	if _, err := s.Do(ctx, fetch.Request{Method: "GET", URL: url}); err != context.Canceled { //nolint:errorlint // the very one
		t.Error(err)
	}
}

func TestCredentialsStayAtTheirHost(t *testing.T) {
	reached := false
	other := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other+"/x?hunter2", http.StatusTemporaryRedirect)
		case "/here":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		}
	})
	c, _ := patient()
	if a, err := ask(t, c, url+"/here"); err != nil || a.Status != 200 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, path := range []string{"/away", "/round"} {
		_, err := ask(t, c, url+path)
		if err == nil || !strings.Contains(err.Error(), "redirects to") || strings.Contains(err.Error(), "hunter2") || reached {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWhyThereIsNoAnswer(t *testing.T) {
	tlsServer := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer tlsServer.Close()
	tlsServer.Config.ErrorLog = nil
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	large := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20+1)) })
	gone := httptest.NewServer(nil)
	gone.Close()
	for url, want := range map[string]string{
		tlsServer.URL: "is signed by an authority that this machine does not know",
		strings.Replace(plain, "http", "https", 1): "does not speak TLS",
		large:      "answered with more than 1 MiB",
		gone.URL:   "cannot be reached: connection refused",
		garbage(t): "gave no HTTP answer",
		"http://[": "the address is not valid",
	} {
		c, _ := patient()
		_, err := ask(t, c, url)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}

// garbage is the address of a server that does not answer with HTTP.
func garbage(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1024))
			_, _ = c.Write([]byte("hunter2 is no status line\r\n\r\n"))
			_ = c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}
