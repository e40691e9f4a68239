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
	"digest/store/db"
)

const (
	// garbagePercent lets the heap grow to five times the live memory, because most allocations of the hourly job live
	// for one poll.
	garbagePercent = 400
	// leastLimit and mostLimit bound the memory limit in bytes, which is a quarter of the machine's memory.
	leastLimit = 64 << 20
	mostLimit  = 184 << 20
)

// tuneMemory configures the garbage collector for the hourly job, unless the operator did (GOGC, GOMEMLIMIT). It
// subtracts the caches of SQLite, which Go does not count.
func (a *app) tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := ownLimit()
	if !strings.Contains(a.Database, "://") {
		limit = max(limit-db.SQLiteMemory, leastLimit)
	}
	debug.SetMemoryLimit(limit)
}

func ownLimit() int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return debug.SetMemoryLimit(-1)
	}
	return memoryLimit(machineMemory(os.DirFS("/")))
}

// memoryLimit returns the memory limit in bytes on a machine with this memory; 0 means unknown and returns mostLimit.
func memoryLimit(machine int64) int64 {
	if machine == 0 {
		return mostLimit
	}
	return min(max(machine/4, leastLimit), mostLimit)
}

// documentMemory returns the bytes for documents: a sixth of the memory limit. Each document takes twice its length,
// and uncollected garbage as much again.
func documentMemory(limit int64) int64 {
	return min(max(limit/6, poller.LeastBodies), poller.MostBodies)
}

// machineMemory returns the memory in bytes that this process can use: the machine's, or the lowest limit of its
// control groups. It returns 0 if that is unknown, such as on systems other than Linux.
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
			if err == nil && bytes > 0 { // not "max" or missing
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

func memTotal(meminfo string) (bytes int64, ok bool) {
	_, rest, found := strings.Cut(meminfo, "MemTotal:")
	words := strings.Fields(rest)
	if !found || len(words) < 2 || words[1] != "kB" {
		return 0, false
	}
	kib, err := strconv.ParseInt(words[0], 10, 64)
	return kib << 10, err == nil && kib > 0
}

func read(root fs.FS, name string) string {
	text, _ := fs.ReadFile(root, name)
	return string(text)
}
