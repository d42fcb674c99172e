package app_test

import (
	"runtime/debug"
	"strings"
	"testing"

	"tasker/internal/app"
	"tasker/internal/fault"
)

func TestMemoryIsAnAmountWithOrWithoutAUnit(t *testing.T) {
	for text, want := range map[string]int64{
		"": 512 << 20, "512MB": 512 << 20, "512 mb": 512 << 20, "512MiB": 512 << 20, "2G": 2 << 30, "2gb": 2 << 30, "134217728": 128 << 20, "131072K": 128 << 20,
	} {
		if got, err := app.Memory(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"much", "-1GB", "127MB", "1", "0", "9999999999GB", "1.5GB", "MB"} {
		_, err := app.Memory(text)
		if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || !strings.Contains(f.Message, text) || f.Hint == "" {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestTheCollectorsGoalFollowsTheMemory(t *testing.T) {
	before, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	defer func() { debug.SetMemoryLimit(before); debug.SetGCPercent(percent) }()
	t.Setenv("GOMEMLIMIT", "")
	app.GiveMemory(1 << 30)
	if got := debug.SetMemoryLimit(-1); got != 3<<28 {
		t.Errorf("the memory limit is %d", got)
	}
	t.Setenv("GOMEMLIMIT", "1GiB")
	app.GiveMemory(2 << 30)
	if got := debug.SetMemoryLimit(-1); got != 3<<28 {
		t.Errorf("GOMEMLIMIT of the environment was overridden: %d", got)
	}
}
