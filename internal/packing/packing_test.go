package packing_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"tasker/internal/packing"
)

func TestTheEncodingIsOneThatTheClientTakes(t *testing.T) {
	for accept, want := range map[string]packing.Encoding{
		"": packing.None, "gzip": packing.Gzip, "GZIP ; q=0.5": packing.Gzip, "gzip;q=0": packing.None, "gzip; q=0.000": packing.None,
		"gzip, deflate, br, zstd": packing.Zstd, "zstd;q=0, gzip": packing.Gzip, "zstd, gzip": packing.Zstd, "br": packing.None,
		"gzip;q=x": packing.Gzip, "identity": packing.None, ",,;": packing.None,
	} {
		if got := packing.Taken(accept); got != want {
			t.Errorf("Taken(%q) = %q, want %q", accept, got, want)
		}
	}
}

func TestAShortAnswerIsNotPackedOnThisMachine(t *testing.T) {
	for from, least := range map[string]int{
		"127.0.0.1:4000": packing.WorthHere, "127.8.8.8:1": packing.WorthHere, "[::1]:4000": packing.WorthHere, "[::ffff:127.0.0.1]:1": packing.WorthHere,
		"192.0.2.1:4000": packing.Worth, "[2001:db8::1]:80": packing.Worth, "": packing.Worth, "@": packing.Worth,
	} {
		if packing.IsWorth(least-1, from) || !packing.IsWorth(least, from) {
			t.Errorf("for %q an answer is not worth packing from %d bytes on", from, least)
		}
	}
}

func TestWhatIsPackedIsReadAgain(t *testing.T) {
	body := []byte(strings.Repeat("a task, and another one; ", 1000))
	for range 3 {
		plain, err := gzip.NewReader(bytes.NewReader(packing.Pack(packing.Gzip, body)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(plain); err != nil || !bytes.Equal(got, body) {
			t.Errorf("gzip: got %d bytes and %v", len(got), err)
		}
		packed := packing.Pack(packing.Zstd, body)
		if len(packed) > len(body)/10 {
			t.Errorf("zstd: got %d bytes of %d", len(packed), len(body))
		}
		r, err := zstd.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, body) {
			t.Errorf("zstd: got %d bytes and %v", len(got), err)
		}
		r.Close()
	}
	if got := packing.Pack(packing.None, body); !bytes.Equal(got, body) {
		t.Error("without an encoding the body changes")
	}
}
