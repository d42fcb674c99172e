package frame

import (
	"bytes"
	"sync"
	"testing"
)

// screenshot is a stream that remembers what was written.
type screenshot struct {
	mu    sync.Mutex
	text  bytes.Buffer
	first chan struct{}
}

func (s *screenshot) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text.Len() == 0 {
		close(s.first)
	}
	return s.text.Write(p)
}

// Text printed while a bar is on the last line replaces the bar, which is painted again below it.
func TestWhatIsPrintedBesideABarStandsAboveIt(t *testing.T) {
	t.Parallel() // it waits for the bar
	s := &screenshot{first: make(chan struct{})}
	f := New(Process{Stderr: s, ErrTTY: true}, Wiring{})
	p := f.Progress("setup 1 of 2: install", 0)
	<-s.first
	if _, err := p.Write([]byte("install  \x1b[2Jdone\n")); err != nil {
		t.Error(err)
	}
	p.End()
	got := s.text.String()
	for _, want := range []string{"setup 1 of 2: install [", "\r\x1b[Kinstall  ", "done\n"} {
		if !bytes.Contains([]byte(got), []byte(want)) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if bytes.Contains([]byte(got), []byte("\x1b[2J")) || !bytes.HasSuffix([]byte(got), []byte("\r\x1b[K")) {
		t.Errorf("printed %q", got)
	}
	quiet := &screenshot{first: make(chan struct{})}
	p = New(Process{Stderr: quiet}, Wiring{}).Progress("setup", 0)
	_, _ = p.Write([]byte("a line\n"))
	if p.End(); quiet.text.String() != "a line\n" {
		t.Errorf("without a terminal: %q", quiet.text.String())
	}
}
