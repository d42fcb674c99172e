package ports_test

import (
	"net"
	"testing"

	"tasker/internal/workspace/ports"
)

func TestAPortThatSomebodyListensOnIsPassedOver(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", ":0"} {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		busy := l.Addr().(*net.TCPAddr).Port
		got := ports.Free(t.Context(), busy, min(busy+50, 65535), 2, func(port int) bool { return port == busy+1 })
		for _, port := range got {
			if port == busy || port == busy+1 {
				t.Errorf("%s: got %v, and %d is busy", address, got, busy)
			}
		}
		if len(got) == 0 {
			t.Errorf("%s: nothing is free", address)
		}
		_ = l.Close()
		if got := ports.Free(t.Context(), busy, busy, 1, func(int) bool { return false }); len(got) != 1 {
			t.Errorf("%s: nothing listens any more, got %v", address, got)
		}
	}
}

func TestARangeThatIsFullGivesFewer(t *testing.T) {
	if got := ports.Free(t.Context(), 20000, 20010, 3, func(port int) bool { return port != 20005 }); len(got) > 1 {
		t.Errorf("%v", got)
	}
}
