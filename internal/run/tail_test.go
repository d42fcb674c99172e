package run_test

import (
	"testing"

	"tasker/internal/run"
)

func TestTheTailIsTheLastWholeLines(t *testing.T) {
	tail := run.NewTail(10)
	for _, part := range []string{"first\nsec", "ond\nthi", "rd\n\xff\x00"} {
		if n, err := tail.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := tail.String(); got != "third\n\ufffd\ufffd" {
		t.Errorf("the tail is %q", got)
	}
	short := run.NewTail(100)
	_, _ = short.Write([]byte("all of it"))
	if got := short.String(); got != "all of it" {
		t.Errorf("the tail is %q", got)
	}
}
