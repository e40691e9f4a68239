package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"digest"
	"digest/internal/conf"
	"digest/internal/doctor"
	"digest/mailer"
)

type configCmd struct {
	Check configCheckCmd `cmd:"" default:"1" help:"Print the settings in use and their sources; hide secrets."`
}

// A reportedSetting is a setting in force.
type reportedSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
	Range string `json:"range,omitempty"` // from the least to the most that it may be
}

type configCheckCmd struct{}

// Run prints the settings. That they can be understood was found out before.
func (configCheckCmd) Run(a *app) error {
	all := a.inForce()
	if a.json {
		return a.printJSON(all)
	}
	file := "no settings file: there is no " + usualConfig
	if a.command.file.path != "" {
		file = "the settings file is " + a.command.file.path
	}
	fmt.Fprintln(a.stdout, plain(file))
	if err := printLines(a.stdout, all, func(s reportedSetting) string {
		return oneLine(s.Name+"="+s.Value) + "\t" + plain(s.From)
	}); err != nil {
		return err
	}
	for _, what := range slices.Concat(a.command.relativePaths(), a.command.strayEnvironment(),
		a.command.retiredSettings(), a.strayMail()) {
		fmt.Fprintln(a.stdout, plain(what))
	}
	return nil
}

// strayMail says that mail goes to a folder, where no reader of a public instance looks for it.
func (a *app) strayMail() []string {
	place, err := mailer.Destination(a.Mail)
	if err != nil || !doctor.MailStays(a.BaseURL, place) {
		return nil // what is wrong with it stops every command
	}
	return []string{"DIGEST_MAIL writes email to the Maildir " + place.Folder +
		", though readers reach this instance at " + a.BaseURL + ": no email leaves this machine; " + doctor.SetMail}
}

// inForce gives all settings in the order of the help.
func (a *app) inForce() (all []reportedSetting) {
	for _, f := range a.command.model.Flags {
		if !isSetting(f) {
			continue
		}
		r := reportedSetting{Name: settingOf(f.Name), From: "default", Range: rangeOf(f.Tag)}
		r.Value = withoutSecret(r.Name, valueText(f.Target.Interface()))
		_, environment := os.LookupEnv(r.Name)
		switch s, fromFile := a.command.file.setting(f); {
		case a.command.given[f.Name]:
			r.From = "flag"
		case fromFile:
			r.From = a.command.file.place(s)
		case environment:
			r.From = "environment"
		}
		all = append(all, r)
	}
	return all
}

// valueText writes a value as a setting has it.
func valueText(v any) string {
	switch v := v.(type) {
	case time.Duration:
		return span(v)
	case networks:
		return strings.Join(v.words(), ",")
	case digest.Proxies:
		return strings.Join(v.Words(), ",")
	}
	return fmt.Sprint(v)
}

// relativePaths says which paths of the file lead elsewhere from each folder.
func (c *cli) relativePaths() (said []string) {
	for _, f := range c.model.Flags {
		s, fromFile := c.file.setting(f)
		path, folder := strings.CutPrefix(s.Value, "maildir:")
		switch s.Name {
		case "DIGEST_DATABASE", "DIGEST_KEY_FILE", "DIGEST_BOUNCE_MAILDIR":
		case "DIGEST_MAIL":
			fromFile = fromFile && folder
		default:
			continue
		}
		if fromFile && !c.given[f.Name] && path != "" && !strings.Contains(path, "://") && !filepath.IsAbs(path) {
			said = append(said, fmt.Sprintf("%s of %s is a different file in each working folder; write the full path",
				s.Name, c.file.place(s)))
		}
	}
	return said
}

// strayEnvironment says which variables of the environment look like settings and are none.
func (c *cli) strayEnvironment() (said []string) {
	settings, known := []string{}, slices.Collect(maps.Keys(retired()))
	for _, f := range c.model.Flags {
		known = append(known, f.Envs...)
		if isSetting(f) {
			settings = append(settings, settingOf(f.Name))
		}
	}
	for _, leaf := range c.model.Leaves(false) {
		known = append(known, flagEnvs(leaf)...)
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "DIGEST_") || slices.Contains(known, name) {
			continue
		}
		what := fmt.Sprintf("the environment has %s, which is not a setting", name)
		if near := conf.Nearest(name, settings); near != "" {
			what += "; did you mean " + near + "?"
		}
		said = append(said, what)
	}
	slices.Sort(said)
	return said
}

// flagEnvs gives the variables of the environment that a command reads.
func flagEnvs(command *kong.Node) (envs []string) {
	for _, group := range command.AllFlags(false) {
		for _, f := range group {
			envs = append(envs, f.Envs...)
		}
	}
	return envs
}
