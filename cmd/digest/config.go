package main

import (
	"fmt"
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

type reportedSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
	Range string `json:"range,omitempty"` // minimum and maximum
}

type configCheckCmd struct{}

// Run prints the settings. They are already known to be valid.
func (configCheckCmd) Run(a *app) error {
	all := a.inForce()
	if a.json {
		return a.printJSON(all)
	}
	file := "no settings file: there is no " + usualConfig
	if a.command.file.path != "" {
		file = "the settings file is " + a.command.file.path
	}
	a.println(plain(file))
	if err := printLines(a.stdout, all, func(s reportedSetting) string {
		return oneLine(s.Name+"="+s.Value) + "\t" + plain(s.From)
	}); err != nil {
		return err
	}
	for _, what := range slices.Concat(a.command.file.removed(), a.command.relativePaths(),
		a.command.strayEnvironment(), a.strayMail()) {
		a.println(plain(what))
	}
	return nil
}

// strayMail warns that mail goes to a folder although the instance is public.
func (a *app) strayMail() []string {
	place, err := mailer.Destination(a.Mail)
	if err != nil || !doctor.MailStays(a.BaseURL, place) {
		// An invalid setting stops every command anyway.
		return nil
	}
	return []string{"DIGEST_MAIL writes email to the Maildir " + place.Folder +
		", though readers reach this instance at " + a.BaseURL + ": no email leaves this machine; " + doctor.SetMail}
}

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

// relativePaths lists the settings in the file whose paths depend on the working folder.
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

// strayEnvironment lists the variables of the environment that look like settings but are not.
func (c *cli) strayEnvironment() (said []string) {
	var settings, known []string
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
		if remedy, removed := removedSettings()[name]; removed {
			said = append(said, what+" any more: "+remedy)
			continue
		}
		if near := conf.Nearest(name, settings); near != "" {
			what += "; did you mean " + near + "?"
		}
		said = append(said, what)
	}
	slices.Sort(said)
	return said
}

func flagEnvs(command *kong.Node) (envs []string) {
	for _, group := range command.AllFlags(false) {
		for _, f := range group {
			envs = append(envs, f.Envs...)
		}
	}
	return envs
}
