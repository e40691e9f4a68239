//go:build linux || darwin || freebsd

package doctor

import "syscall"

// spaceOf returns the space of the file system of a folder for users other than root.
func spaceOf(folder string) (Space, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil || s.Blocks == 0 {
		return Space{}, false
	}
	size := uint64(s.Bsize)
	return Space{Free: uint64(s.Bavail) * size, Total: uint64(s.Blocks) * size}, true
}
