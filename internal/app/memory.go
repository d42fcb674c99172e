package app

import (
	"os"
	"runtime/debug"
)

// memoryGoal is what the memory of a server is held under where its own data allow it.
const memoryGoal = 192 << 20

// GiveMemory has the garbage collector of a server run seldom, and often again where memory gets short: nearly all that
// requests allocate is gone when they are answered. Whoever sets GOGC or GOMEMLIMIT decides for himself.
func GiveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
}
