package app

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"tasker/internal/fault"
)

// Bounds of the memory of a server, in bytes.
const (
	DefaultMemory = 512 << 20
	leastMemory   = 128 << 20
	unmanaged     = 98 << 20 // the program itself, and the caches of a database, which the collector does not manage
)

// Memory returns the memory that a server may use, in bytes, as TASKER_MEMORY says: a number of bytes, or one with a
// unit. The empty text is the default.
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
		return 0, fault.Bad("TASKER_MEMORY is %q", text).WithHint("an amount of at least 128MB, as 512MB or 2GB; unset, it is 512MB")
	}
	return n * scale, nil
}

// GiveMemory has the garbage collector of a server run seldom, and often again where memory gets short: nearly all that
// requests allocate is gone when they are answered. Three quarters of the memory are the collector's goal at most; the rest is
// for what it does not manage. Whoever sets GOGC or GOMEMLIMIT decides for himself.
func GiveMemory(bytes int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(bytes/4*3, bytes-unmanaged))
	}
}
