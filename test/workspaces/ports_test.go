package workspaces

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// A range that is too small for one more task is refused with the owner of each of its ports, including other programs.
func TestARefusedRangeNamesWhoHasItsPorts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = l.Close() }()
	busy := l.Addr().(*net.TCPAddr).Port
	w.write(".tasker.json", strings.Replace(settings, "[24000, 24999]", fmt.Sprintf("[%d, %d]", busy, busy), 1))
	w.run("add", "Build a cart", "--quiet")
	out, err := w.try(nil, "workspace", "open", "shop-1")
	if err == nil || !strings.Contains(out, fmt.Sprintf("has 0 free ports, but a task needs 1 (%d: another program)", busy)) {
		t.Errorf("%v: %s", err, out)
	}
}
