package child_test

import (
	"testing"

	"tasker/internal/child/tail"
)

func TestTheTailIsTheLastWholeLines(t *testing.T) {
	end := tail.New(10)
	for _, part := range []string{"first\nsec", "ond\nthi", "rd\n\xff\x00"} {
		if n, err := end.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := end.String(); got != "third\n\ufffd\ufffd" {
		t.Errorf("the tail is %q", got)
	}
	short := tail.New(100)
	_, _ = short.Write([]byte("all of it"))
	if got := short.String(); got != "all of it" {
		t.Errorf("the tail is %q", got)
	}
}
