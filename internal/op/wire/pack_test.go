package wire_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"tasker/internal/op/wire"
)

func TestTheEncodingIsOneThatTheClientTakes(t *testing.T) {
	for accept, want := range map[string]wire.Encoding{
		"": wire.None, "gzip": wire.Gzip, "GZIP ; q=0.5": wire.Gzip, "gzip;q=0": wire.None, "gzip; q=0.000": wire.None,
		"deflate, gzip, br, zstd": wire.Gzip, "zstd;q=0, gzip": wire.Gzip, "br": wire.None,
		"gzip;q=x": wire.Gzip, "identity": wire.None, ",,;": wire.None,
	} {
		if got := wire.Accepted(accept); got != want {
			t.Errorf("Accepted(%q) = %q, want %q", accept, got, want)
		}
	}
}

func TestAShortAnswerIsNotPackedOnThisMachine(t *testing.T) {
	for from, least := range map[string]int{
		"127.0.0.1:4000": wire.WorthHere, "127.8.8.8:1": wire.WorthHere, "[::1]:4000": wire.WorthHere, "[::ffff:127.0.0.1]:1": wire.WorthHere,
		"192.0.2.1:4000": wire.PackFrom, "[2001:db8::1]:80": wire.PackFrom, "": wire.PackFrom, "@": wire.PackFrom,
	} {
		if wire.WorthPacking(least-1, from) || !wire.WorthPacking(least, from) {
			t.Errorf("for %q an answer is not worth packing from %d bytes on", from, least)
		}
	}
}

func TestWhatIsPackedIsReadAgain(t *testing.T) {
	body := []byte(strings.Repeat("a task, and another one; ", 1000))
	for range 3 {
		packed := wire.Pack(wire.Gzip, body)
		if len(packed) > len(body)/10 {
			t.Errorf("gzip: got %d bytes of %d", len(packed), len(body))
		}
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(plain); err != nil || !bytes.Equal(got, body) {
			t.Errorf("gzip: got %d bytes and %v", len(got), err)
		}
	}
	if got := wire.Pack(wire.None, body); !bytes.Equal(got, body) {
		t.Error("without an encoding the body changes")
	}
}
