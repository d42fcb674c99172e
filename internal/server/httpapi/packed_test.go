package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/op"
)

// A long answer, even an error, is compressed for a client that accepts it; a short one is not.
func TestALongAnswerIsPackedForWhoTakesIt(t *testing.T) {
	long := strings.Repeat("because ", 1000)
	s := New(options(&calls{do: func(_ context.Context, _ *op.Op, in any) (any, error) {
		return nil, fault.Bad("no").WithHint("%s", long)
	}}))
	plain := ask(s, request("GET", "/v1/version", ""))
	if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("Vary") != "Accept-Encoding" || !bytes.Contains(plain.Body, []byte(long)) {
		t.Errorf("without Accept-Encoding: %v %.80s", plain.Header, plain.Body)
	}
	zipped := ask(s, request("GET", "/v1/version", "", "Accept-Encoding", "gzip, zstd"))
	r, err := gzip.NewReader(bytes.NewReader(zipped.Body))
	if err != nil || zipped.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("gzip: %v %v", zipped.Header, err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain.Body) {
		t.Errorf("gzip: got %.80s and %v, want %.80s", got, err, plain.Body)
	}
	near := request("GET", "/v1/version", "", "Accept-Encoding", "gzip")
	near.RemoteAddr = "127.0.0.1:4000"
	if got := ask(s, near); got.Header.Get("Content-Encoding") != "" || got.Header.Get("Vary") != "Accept-Encoding" || !bytes.Equal(got.Body, plain.Body) {
		t.Errorf("to a client on this machine: %v %.80s", got.Header, got.Body)
	}
	long = "short"
	if short := ask(s, request("GET", "/v1/version", "", "Accept-Encoding", "gzip")); short.Header.Get("Content-Encoding") != "" {
		t.Errorf("a short answer is packed: %v", short.Header)
	}
}
