package app

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"tasker/internal/fault"
)

// Limits of a server's memory, in bytes.
const (
	DefaultMemory = 512 << 20
	leastMemory   = 128 << 20
	unmanaged     = 98 << 20 // the program itself, and database caches, which the collector does not manage
)

// Memory parses TASKER_MEMORY, the memory that a server may use: a number of bytes, or a number with a unit. The empty text
// means the default.
func Memory(text string) (int64, error) {
	if text == "" {
		return DefaultMemory, nil
	}
	number := strings.ToUpper(strings.TrimSpace(text))
	scale := int64(1)
	for _, unit := range []struct {
		name  string
		shift int
	}{{"KIB", 10}, {"MIB", 20}, {"GIB", 30}, {"KB", 10}, {"MB", 20}, {"GB", 30}, {"K", 10}, {"M", 20}, {"G", 30}, {"B", 0}} {
		if n, ok := strings.CutSuffix(number, unit.name); ok {
			number, scale = strings.TrimSpace(n), 1<<unit.shift
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > (1<<50)/scale || n*scale < leastMemory {
		return 0, fault.Bad("TASKER_MEMORY is %q", text).WithHint("an amount of at least 128MB, such as 512MB or 2GB; unset, it is 512MB")
	}
	return n * scale, nil
}

// GiveMemory makes a server's garbage collector run rarely, and more often when memory gets short: nearly everything that a
// request allocates is garbage once it is answered. The collector gets three quarters of the memory at most; the rest is
// for what it does not manage. If GOGC or GOMEMLIMIT is set, it takes precedence.
func GiveMemory(bytes int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(bytes/4*3, bytes-unmanaged))
	}
}
