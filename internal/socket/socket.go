// Package socket listens at a Unix socket, and replaces one that a killed process left behind.
package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"
)

// Mode is the mode of the socket. The user of the program and its group may connect.
const Mode fs.FileMode = 0o660

// Longest is the maximum length of a path in bytes that works on every system.
const Longest = 103

// Listen listens at a path. It replaces an abandoned socket, but no other file. Closing the listener removes the
// socket.
func Listen(path string) (net.Listener, error) {
	if err := clear(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening at a socket: %w", err)
	}
	if err := os.Chmod(path, Mode); err != nil {
		return nil, errors.Join(fmt.Errorf("setting the mode of a socket: %w", err), l.Close())
	}
	return l, nil
}

// clear removes a socket that a killed process left behind.
func clear(path string) error {
	left, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for a socket: %w", err)
	}
	if left.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		return errors.Join(inUse(path), c.Close())
	} else if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s belongs to another user: %w", path, err)
	}
	return remove(path, left)
}

func inUse(path string) error { return fmt.Errorf("another process listens at %s", path) }

// remove removes an abandoned socket. If another process replaced it since then, its socket stays.
func remove(path string, left fs.FileInfo) error {
	aside := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.Rename(path, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("removing a socket that was left: %w", err)
	}
	moved, err := os.Lstat(aside)
	if err == nil && !os.SameFile(left, moved) {
		return errors.Join(inUse(path), os.Rename(aside, path))
	}
	return errors.Join(err, os.Remove(aside))
}
