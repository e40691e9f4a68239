package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"digest/internal/conf"
	"digest/internal/ownership"
)

const usualConfig = "/etc/digest.conf"

const mostConfig = 1 << 20

// A configFile is the parsed settings file. Its path is empty without a file.
type configFile struct {
	path string
	all  []conf.Setting
}

// withoutSettings is part of the commands that need no settings. They run even if the user may not read the default
// file.
type withoutSettings struct{}

func (withoutSettings) needsNoSettings() {}

// BeforeResolve is a hook of kong. It reads the settings file. As in valueReader, an error is returned when the command
// begins.
func (c *cli) BeforeResolve(ctx *kong.Context) error {
	known, named := removedNames(), ""
	for _, f := range ctx.Model.Flags {
		switch {
		case f.Name == "config":
			named, _ = ctx.FlagValue(f).(string)
		case isSetting(f):
			known = append(known, settingOf(f.Name))
		}
	}
	file, err := readConfig(named, known)
	if errors.Is(err, fs.ErrPermission) && named == "" && ctx.Selected() != nil {
		if _, ok := ctx.Selected().Target.Addr().Interface().(interface{ needsNoSettings() }); ok {
			return nil
		}
	}
	if bad, ok := errors.AsType[*settingError](err); ok {
		c.wrong = bad
		return nil
	}
	c.file = file
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
		s, ok := file.setting(f)
		if !ok {
			return nil, nil
		}
		return s.Value, nil
	}))
	return err
}

// isSetting reports whether a flag may be in the settings file: it applies to all commands, and not to a single run.
func isSetting(f *kong.Flag) bool {
	return f.Group != nil && strings.HasSuffix(f.Group.Key, " settings:") || f.Name == "log-level" ||
		f.Name == "log-format"
}

// setting returns the value of a flag in the file, unless the environment sets it.
func (c configFile) setting(f *kong.Flag) (s conf.Setting, ok bool) {
	i := slices.IndexFunc(c.all, func(s conf.Setting) bool { return isSetting(f) && s.Name == settingOf(f.Name) })
	if i < 0 {
		return s, false
	}
	_, environment := os.LookupEnv(c.all[i].Name)
	return c.all[i], !environment
}

func (c configFile) place(s conf.Setting) string { return fmt.Sprintf("%s line %d", c.path, s.Line) }

// readConfig reads the named settings file, or the default one if it exists. Its error is a *settingError.
func readConfig(named string, known []string) (c configFile, err error) {
	c.path = named
	if named == "" {
		c.path = usualConfig
	}
	info, err := os.Stat(c.path)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return configFile{}, nil
	}
	var text []byte
	reason, remedy := "", ""
	if err != nil {
		err = withoutPath(err)
	} else {
		reason, remedy = ownership.Foreign(c.path)
		text, err = readBounded(c.path, mostConfig)
	}
	switch {
	case errors.Is(err, fs.ErrPermission) && reason != "":
		return c, &settingError{err: err,
			text: fmt.Sprintf("cannot read the settings: %s; run this as the user that digest runs as, "+
				"or if you do, run: %s", reason, remedy)}
	case err != nil && named != "":
		return c, badSetting("DIGEST_CONFIG", named, err.Error(), usualConfig)
	case err != nil:
		return c, &settingError{
			text: fmt.Sprintf("%s %s; run this as the user that digest runs as, or name another file with --config",
				c.path, err), err: err}
	}
	if c.all, err = conf.Parse(text, known); err != nil {
		return c, &settingError{text: c.path + " " + err.Error()}
	}
	return c, c.checkMode(info)
}

// checkMode rejects a file that everybody may write, and one with secrets that everybody may read. It ignores the
// group, which the operator controls, and files that are not regular.
func (c configFile) checkMode(info fs.FileInfo) error {
	const othersRead, othersWrite = 0o004, 0o002
	mode := info.Mode()
	if !mode.IsRegular() || runtime.GOOS == "windows" {
		return nil
	}
	if mode&othersWrite != 0 {
		return &settingError{text: fmt.Sprintf("everybody on this machine can change %s; run: chmod o-rwx %s", c.path,
			c.path)}
	}
	i := slices.IndexFunc(c.all, func(s conf.Setting) bool { return withoutSecret(s.Name, s.Value) != s.Value })
	if i < 0 || mode&othersRead == 0 {
		return nil
	}
	return &settingError{text: fmt.Sprintf(
		"everybody on this machine can read %s, which has a secret (%s, line %d); run: chmod o-rwx %s",
		c.path, c.all[i].Name, c.all[i].Line, c.path)}
}

// withoutSecret returns the value of a setting without passwords and tokens.
func withoutSecret(name, value string) string {
	const hidden = "…"
	if name == "DIGEST_METRICS_TOKEN" && value != "" {
		return hidden
	}
	if name != "DIGEST_DATABASE" && name != "DIGEST_MAIL" {
		return value
	}
	scheme, rest, isAddress := strings.Cut(value, "://")
	if !isAddress {
		return value
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		if user, _, secret := strings.Cut(rest[:at], ":"); secret {
			rest = user + ":" + hidden + rest[at:]
		}
	}
	before, query, _ := strings.Cut(rest, "?")
	parts := strings.Split(query, "&")
	for i, p := range parts {
		if key, _, set := strings.Cut(p, "="); set && strings.HasSuffix(strings.ToLower(key), "password") {
			parts[i] = key + "=" + hidden
		}
	}
	if query != "" {
		before += "?" + strings.Join(parts, "&")
	}
	return scheme + "://" + before
}
