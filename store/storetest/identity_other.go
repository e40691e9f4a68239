//go:build !unix

package storetest

import (
	"errors"
	"os/exec"
)

type identity struct{}

func account() (identity, error) {
	return identity{}, errors.New("set DIGEST_TEST_POSTGRES: a server of our own is started on Unix only")
}

func (identity) own(string) error { return nil }
func (identity) apply(*exec.Cmd)  {}
func detach(*exec.Cmd)            {}
