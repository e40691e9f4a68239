//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package db

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file until it is closed or this process ends. SQLite uses other locks.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		default:
			return err
		}
	}
}
