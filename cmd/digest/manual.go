package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"digest"
	"digest/cmd/digest/internal/manual"
)

type manualCmd struct{ withoutSettings }

func (manualCmd) Run(a *app) error {
	text := manual.Page(a.command.model, version(), usualConfig, func(f *kong.Flag) string {
		if !isSetting(f) {
			return ""
		}
		return settingOf(f.Name)
	})
	_, err := fmt.Fprint(a.stdout, text)
	return err
}

type completionCmd struct {
	withoutSettings
	Shell string `arg:"" help:"bash, zsh or fish."`
}

func (c completionCmd) Run(a *app) error {
	text := manual.Completion(a.command.model, c.Shell)
	if text == "" {
		return digest.Errorf(digest.Invalid,
			"%q is not a known shell; use one of %s", c.Shell, strings.Join(manual.Shells(), ", "))
	}
	_, err := fmt.Fprint(a.stdout, text)
	return err
}
