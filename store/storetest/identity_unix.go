//go:build unix

package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// An identity is the user that the server runs as: PostgreSQL refuses to run as root.
type identity struct{ credential *syscall.Credential }

func account() (identity, error) {
	if os.Geteuid() != 0 {
		return identity{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return identity{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
		}
	}
	return identity{}, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

// own makes the identity the owner of a folder.
func (i identity) own(dir string) error {
	if i.credential == nil {
		return nil
	}
	if err := os.Chown(dir, int(i.credential.Uid), int(i.credential.Gid)); err != nil {
		return fmt.Errorf("preparing a folder for PostgreSQL: %w", err)
	}
	return nil
}

// apply makes a command run as the identity.
func (i identity) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: i.credential}
}

// detach protects a command from an interrupt of the terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr.Setpgid = true }
