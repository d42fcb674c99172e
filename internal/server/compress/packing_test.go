package compress_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"tasker/internal/server/compress"
)

func TestTheEncodingIsOneThatTheClientTakes(t *testing.T) {
	for accept, want := range map[string]compress.Encoding{
		"": compress.None, "gzip": compress.Gzip, "GZIP ; q=0.5": compress.Gzip, "gzip;q=0": compress.None, "gzip; q=0.000": compress.None,
		"deflate, gzip, br, zstd": compress.Gzip, "zstd;q=0, gzip": compress.Gzip, "br": compress.None,
		"gzip;q=x": compress.Gzip, "identity": compress.None, ",,;": compress.None,
	} {
		if got := compress.Taken(accept); got != want {
			t.Errorf("Taken(%q) = %q, want %q", accept, got, want)
		}
	}
}

func TestAShortAnswerIsNotPackedOnThisMachine(t *testing.T) {
	for from, least := range map[string]int{
		"127.0.0.1:4000": compress.WorthHere, "127.8.8.8:1": compress.WorthHere, "[::1]:4000": compress.WorthHere, "[::ffff:127.0.0.1]:1": compress.WorthHere,
		"192.0.2.1:4000": compress.Worth, "[2001:db8::1]:80": compress.Worth, "": compress.Worth, "@": compress.Worth,
	} {
		if compress.IsWorth(least-1, from) || !compress.IsWorth(least, from) {
			t.Errorf("for %q an answer is not worth packing from %d bytes on", from, least)
		}
	}
}

func TestWhatIsPackedIsReadAgain(t *testing.T) {
	body := []byte(strings.Repeat("a task, and another one; ", 1000))
	for range 3 {
		packed := compress.Pack(compress.Gzip, body)
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
	if got := compress.Pack(compress.None, body); !bytes.Equal(got, body) {
		t.Error("without an encoding the body changes")
	}
}
