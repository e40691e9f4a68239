package main

import (
	"os"
	"runtime/debug"
)

const (
	// garbagePercent lets the heap grow to five times what is in use before it
	// is collected: most of what an hour allocates lives for one poll.
	garbagePercent = 400
	// memoryLimit is where it is collected sooner all the same, in bytes.
	memoryLimit = 200 << 20
)

// tuneMemory sets the garbage collector for the work of an hour, unless the
// operator has set it (GOGC, GOMEMLIMIT).
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
