package main

import (
	"math"
	"testing"
	"testing/fstest"
)

// TestMachineMemory checks that a control group, or one around it, counts if it has less memory than the machine.
func TestMachineMemory(t *testing.T) {
	const mb = 1 << 20
	const machine = "MemTotal:        4194304 kB\nMemFree:          1048576 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is known":  {nil, 0},
		"no control groups": {map[string]string{"proc/meminfo": machine}, 4096 * mb},
		"a container": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "536870912\n"}, 512 * mb},
		"a service without a limit": {map[string]string{"proc/meminfo": machine,
			"proc/self/cgroup": "0::/system.slice/digest.service\n",
			"sys/fs/cgroup/system.slice/digest.service/memory.max": "max\n"}, 4096 * mb},
		"a service in a slice with one": {map[string]string{"proc/meminfo": machine,
			"proc/self/cgroup": "0::/system.slice/digest.service\n",
			"sys/fs/cgroup/system.slice/digest.service/memory.max": "1073741824\n",
			"sys/fs/cgroup/system.slice/memory.max":                "268435456\n"}, 256 * mb},
		"version 1": {map[string]string{"proc/meminfo": machine,
			"proc/self/cgroup": "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n",
			"sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "134217728\n"}, 128 * mb},
		"version 1 without a limit": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 4096 * mb},
		"a group out of sight": {map[string]string{"proc/meminfo": machine,
			"proc/self/cgroup": "0::/../../elsewhere\n"}, 4096 * mb},
		"what cannot be read": {map[string]string{"proc/meminfo": "MemTotal: many kB", "proc/self/cgroup": "::"}, 0},
	} {
		root := fstest.MapFS{}
		for file, text := range test.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := machineMemory(root); got != test.want {
			t.Errorf("%s: %d MB, want %d", name, got/mb, test.want/mb)
		}
	}
}

// TestMemoryLimit checks that the limits follow the machine's memory, within bounds.
func TestMemoryLimit(t *testing.T) {
	const mb = 1 << 20
	for _, test := range []struct{ machine, limit, documents int64 }{
		{0, 184, 30},
		{128, 64, 16},
		{256, 64, 16},
		{512, 128, 21},
		{1024, 184, 30},
		{65536, 184, 30},
	} {
		limit := memoryLimit(test.machine * mb)
		if documents := documentMemory(limit); limit != test.limit*mb || documents/mb != test.documents {
			t.Errorf("a machine of %d MB: %d and %d MB, want %d and %d", test.machine, limit/mb, documents/mb,
				test.limit, test.documents)
		}
	}
	if got := documentMemory(math.MaxInt64); got != 32*mb {
		t.Errorf("without a limit: %d MB", got/mb)
	}
}
