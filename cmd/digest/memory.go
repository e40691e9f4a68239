package main

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"digest/poller"
	"digest/store"
)

const (
	// garbagePercent lets the heap grow to five times what is in use before it
	// is collected: most of what an hour allocates lives for one poll.
	garbagePercent = 400
	// leastLimit and mostLimit are where it is collected sooner all the same, in
	// bytes: at a quarter of the machine's memory, within these bounds.
	leastLimit = 64 << 20
	mostLimit  = 184 << 20
)

// tuneMemory sets the garbage collector for the work of an hour, unless the
// operator has set it (GOGC, GOMEMLIMIT). Of the caches of a file it knows nothing.
func (a *app) tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := ownLimit()
	if !strings.Contains(a.Database, "://") {
		limit = max(limit-store.SQLiteMemory, leastLimit)
	}
	debug.SetMemoryLimit(limit)
}

// ownLimit is the memory that the program keeps to, in bytes.
func ownLimit() int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return debug.SetMemoryLimit(-1)
	}
	return memoryLimit(machineMemory(os.DirFS("/")))
}

// memoryLimit is the memory that the program keeps to on a machine, in bytes; of one of
// which nothing is known that of a large one.
func memoryLimit(machine int64) int64 {
	if machine == 0 {
		return mostLimit
	}
	return min(max(machine/4, leastLimit), mostLimit)
}

// documentMemory is how much of its memory limit the program has for documents, in bytes:
// a sixth, as each takes twice its length and what is collected late as much again.
func documentMemory(limit int64) int64 {
	return min(max(limit/6, poller.LeastBodies), poller.MostBodies)
}

// machineMemory is how much memory this process may have, in bytes: that of the machine,
// or less if its control group, or one that holds it, has less. 0: it is not known, as on
// systems other than Linux.
func machineMemory(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	if bytes, ok := memTotal(read(root, "proc/meminfo")); ok {
		least = bytes
	}
	for line := range strings.Lines(read(root, "proc/self/cgroup")) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		base, file := "sys/fs/cgroup", "memory.max"
		if controllers == "memory" { // version 1
			base, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if controllers != "" {
			continue
		}
		for group = path.Clean("/" + group); ; group = path.Dir(group) {
			bytes, err := strconv.ParseInt(strings.TrimSpace(read(root, path.Join(base, group, file))), 10, 64)
			if err == nil && bytes > 0 { // else "max", or none
				least = min(least, bytes)
			}
			if group == "/" {
				break
			}
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// memTotal reads the memory of a machine in /proc/meminfo.
func memTotal(meminfo string) (bytes int64, ok bool) {
	_, rest, found := strings.Cut(meminfo, "MemTotal:")
	words := strings.Fields(rest)
	if !found || len(words) < 2 || words[1] != "kB" {
		return 0, false
	}
	kib, err := strconv.ParseInt(words[0], 10, 64)
	return kib << 10, err == nil && kib > 0
}

// read gives a file; nothing of one that cannot be read.
func read(root fs.FS, name string) string {
	text, _ := fs.ReadFile(root, name)
	return string(text)
}
