package security

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"testing"
)

// listen serves a site on a port of this machine, and returns its address.
func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// follow sends a request and returns the lines of its answer as they come.
func follow(t *testing.T, r *http.Request) <-chan string {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		t.Fatalf("%s: %s", r.URL.Path, resp.Status)
	}
	t.Cleanup(func() { resp.Body.Close() })
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(resp.Body); in.Scan(); {
			select {
			case lines <- in.Text():
			case <-t.Context().Done():
				return
			}
		}
	}()
	return lines
}
