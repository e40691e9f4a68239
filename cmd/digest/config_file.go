package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"digest/internal/conf"
	"digest/internal/ownership"
)

// usualConfig is the file of settings that is read where none is named.
const usualConfig = "/etc/digest.conf"

// mostConfig is how long such a file may be, in bytes.
const mostConfig = 1 << 20

// A configFile is a file of settings that was read; it has no path where there is none.
type configFile struct {
	path string
	all  []conf.Setting
}

// withoutSettings is part of the commands that need no setting: they run though this
// user may not read the usual file.
type withoutSettings struct{}

func (withoutSettings) needsNoSettings() {}

// BeforeResolve is a hook of kong. It reads the file of settings. What is wrong with it
// becomes an error when the command begins, as with valueReader.
func (c *cli) BeforeResolve(ctx *kong.Context) error {
	known, named := slices.Collect(maps.Keys(retired())), ""
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

// retired are the settings of earlier versions that this version ignores, each with the reason. An instance that sets
// them still starts.
func retired() map[string]string {
	return map[string]string{"DIGEST_HUB": "the feeds of newsletters have no WebSub hub any more"}
}

// retiredSettings returns a line about each retired setting of the file and the environment.
func (c *cli) retiredSettings() (said []string) {
	for name, why := range retired() {
		for _, s := range c.file.all {
			if s.Name == name {
				said = append(said, fmt.Sprintf("%s has no effect: %s; remove it from %s", name, why, c.file.place(s)))
			}
		}
		if _, ok := os.LookupEnv(name); ok {
			said = append(said, fmt.Sprintf("%s has no effect: %s; remove it from the environment", name, why))
		}
	}
	slices.Sort(said)
	return said
}

// isSetting reports whether a flag may stand in the file: one that is the same for all commands,
// and not about one run of one.
func isSetting(f *kong.Flag) bool {
	return f.Group != nil && strings.HasSuffix(f.Group.Key, " settings:") || f.Name == "log-level" ||
		f.Name == "log-format"
}

// setting gives what the file sets a flag to, where the environment does not set it.
func (c configFile) setting(f *kong.Flag) (s conf.Setting, ok bool) {
	i := slices.IndexFunc(c.all, func(s conf.Setting) bool { return isSetting(f) && s.Name == settingOf(f.Name) })
	if i < 0 {
		return s, false
	}
	_, environment := os.LookupEnv(c.all[i].Name)
	return c.all[i], !environment
}

// place says where a line of the file stands.
func (c configFile) place(s conf.Setting) string { return fmt.Sprintf("%s line %d", c.path, s.Line) }

// readConfig reads the file of settings that is named, or else the usual one where there is
// one. The error is a *settingError.
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

// checkMode refuses a file that anybody may change, and one with secrets that anybody may
// read. Whoever may become its group is up to the operator. What is no plain file has no
// mode of its own.
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

// withoutSecret gives the value of a setting as it may be shown.
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
