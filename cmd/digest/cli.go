package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// cli is the command line. Names, defaults and meanings do not change, because scripts use them. Every flag has an
// environment variable DIGEST_<FLAG>.
type cli struct {
	Now      time.Time `example:"2026-11-20T00:00:00Z" placeholder:"INSTANT" group:"Flags of all commands:" help:"Run as of this instant (2026-11-20T00:00:00Z), with no waiting; serve and work start there and run on."`
	Force    bool      `group:"Flags of all commands:" help:"Let --now change a database that another process is using by the real clock."`
	JSON     bool      `name:"json" group:"Flags of all commands:" help:"Print JSON for scripts."`
	Config   string    `default:"" placeholder:"FILE" group:"Flags of all commands:" help:"A file of settings, lines of DIGEST_NAME=value (default: /etc/digest.conf, if it exists)."`
	LogLevel string    `default:"" placeholder:"LEVEL" group:"Flags of all commands:" help:"debug, info, warn or error (default: info for serve and work, error for tick, warn for others)."`

	LogFormat string `type:"word" words:"text,json" placeholder:"FORMAT" group:"Flags of all commands:" help:"The format of log lines on stderr: text or json."`

	PrintVersion kong.VersionFlag `name:"version" env:"-" group:"Flags of all commands:" help:"Print the version."`

	settings

	Serve        serveCmd        `cmd:"" help:"Run everything in one process: the hourly job, delivery and the web view."`
	Work         workCmd         `cmd:"" help:"Run the hourly job and delivery without the web view; any number can share one PostgreSQL."`
	Tick         tickCmd         `cmd:"" help:"Run the hourly job once: poll, release and deliver what is due, then exit (for cron)."`
	Demo         demoCmd         `cmd:"" help:"Watch the main job run on sample feeds: three readers, three midnights."`
	User         userCmd         `cmd:"" help:"Add, list, change and remove readers; sign-in links."`
	Invite       inviteCmd       `cmd:"" help:"Print a link by which one person can sign up."`
	Subscribe    subscribeCmd    `cmd:"" help:"Find the feed behind each address and subscribe a reader to it."`
	Unsubscribe  unsubscribeCmd  `cmd:"" help:"Unsubscribe a reader from a feed."`
	OPML         opmlCmd         `cmd:"" name:"opml" help:"Import and export subscription lists."`
	Newsletter   newsletterCmd   `cmd:"" help:"Manage newsletters and their members."`
	Preview      previewCmd      `cmd:"" help:"Print the edition that the reader would get at the next midnight."`
	Feeds        feedsCmd        `cmd:"" help:"Show all feeds or one: state, last response, and next poll."`
	Poll         pollCmd         `cmd:"" help:"Poll one feed now, if its limits allow it; also retries a dead feed."`
	Hosts        hostsCmd        `cmd:"" help:"Rules for hosts: poll less often, or block."`
	DKIM         dkimCmd         `cmd:"" name:"dkim" help:"Manage the keys that sign email, and print their DNS records."`
	Bounce       bounceCmd       `cmd:"" help:"Process one bounced email from standard input (for a mail server's pipe)."`
	Suppressions suppressionsCmd `cmd:"" help:"Manage addresses that get no email."`
	Queue        queueCmd        `cmd:"" help:"Show waiting and failed email, and resume sending."`
	Limits       limitsCmd       `cmd:"" help:"Limit the email to a recipient domain, or to all."`
	Doctor       doctorCmd       `cmd:"" help:"Check the installation and print what to correct."`
	Key          keyCmd          `cmd:"" help:"Manage the keys that encrypt passwords of private feeds."`
	Fence        fenceCmd        `cmd:"" help:"Show why a database is fenced, and release it."`
	Backup       backupCmd       `cmd:"" help:"Back up the database to a file; other processes can keep running."`
	Restore      restoreCmd      `cmd:"" help:"Restore a backup into the database and fence it until you release it."`
	Copy         copyCmd         `cmd:"" help:"Copy the database into another, SQLite or PostgreSQL."`
	Prune        pruneCmd        `cmd:"" help:"Count the posts and editions older than DIGEST_KEEP; with --confirm delete them, even if the hourly job waits."`
	Parse        parseCmd        `cmd:"" help:"Print what the program reads in documents; store nothing."`
	Settings     configCmd       `cmd:"" name:"config" help:"Show the settings and their sources."`
	Migrate      migrateCmd      `cmd:"" help:"Create the database, or update its schema to this version."`
	Manual       manualCmd       `cmd:"" help:"Print the manual page, for man."`
	Completion   completionCmd   `cmd:"" help:"Print the completion script for bash, zsh or fish."`
	Version      versionCmd      `cmd:"" help:"Print the version."`
	Help         helpCmd         `cmd:"" help:"Show what a command does and its flags."`

	given    map[string]bool             // flags on the command line, by name
	unusable map[valueFrom]*settingError // invalid values
	wrong    *settingError               // the first invalid value in force
	resets   bool                        // kong is reading the environment and the defaults
	file     configFile                  // the settings file
	model    *kong.Application           // of the command line

	usualLevel slog.Level // log level of the command without --log-level
}

// A valueFrom is a value from the command line or the environment.
type valueFrom struct {
	value *kong.Value
	flag  bool
}

type helpCmd struct {
	Command []string `arg:"" optional:""`
}

// parseArgs parses the command line. It returns no command and no error if nothing is left to do, such as after --help.
func parseArgs(c *cli, args []string, stdout io.Writer) (command any, status int, err error) {
	parsed, status, err := parseKong(c, args, stdout)
	if err != nil || parsed == nil {
		return nil, status, err
	}
	command = parsed.Selected().Target.Addr().Interface()
	c.usualLevel = slog.LevelWarn
	switch command := command.(type) {
	case *helpCmd:
		return parseArgs(new(cli), append(command.Command, "--help"), stdout)
	case *serveCmd, *workCmd:
		c.usualLevel = slog.LevelInfo
	case *tickCmd: // its summary counts failures that are retried
		c.usualLevel = slog.LevelError
	}
	return command, exitDone, nil
}

// parseKong parses the arguments with kong. It returns nil if nothing is left to do.
func parseKong(c *cli, args []string, stdout io.Writer) (parsed *kong.Context, status int, err error) {
	c.given, c.unusable = map[string]bool{}, map[valueFrom]*settingError{}
	exited := false
	parser, err := kong.New(c, append(c.valueReaders(),
		kong.Name("digest"),
		kong.Description("A daily newspaper made of the feeds you chose, delivered at your own midnight."),
		kong.DefaultEnvars("DIGEST"),
		kong.Vars{"version": "digest " + version()},
		kong.Writers(stdout, io.Discard),
		kong.Exit(func(s int) { exited, status = true, s }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
	)...)
	if err != nil {
		return nil, exitUsage, fmt.Errorf("describing the command line: %w", err)
	}
	c.model = parser.Model
	tellRanges(parser.Model)
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err = parser.Parse(args)
	if exited {
		return nil, status, nil
	}
	if err != nil {
		return nil, statusOf(err), usageError(err)
	}
	for _, p := range parsed.Path {
		if p.Flag != nil && !p.Resolved {
			c.given[p.Flag.Name] = true
		}
		if bad := c.unusable[valueFrom{p.Positional, true}]; p.Positional != nil && bad != nil {
			return nil, exitUsage, errors.New(strings.Replace(bad.text, settingOf(p.Positional.Name)+"=", "<"+
				p.Positional.Name+"> ", 1))
		}
	}
	for _, f := range parsed.Flags() {
		if bad := c.unusable[valueFrom{f.Value, c.given[f.Name]}]; c.wrong == nil {
			c.wrong = bad
		}
	}
	return parsed, exitDone, nil
}

// BeforeReset is a hook of kong. Kong reads the command line before it, and the environment and defaults after it.
func (c *cli) BeforeReset() error {
	c.resets = true
	return nil
}

// typeReader makes kong parse all values of a type with read. The error of read follows NAME="value" in the message.
func typeReader[T any](c *cli, read func(*kong.Tag, string) (T, error)) kong.Option {
	return kong.TypeMapper(reflect.TypeFor[T](), valueReader(c, read))
}

// nameReader makes kong parse the values whose type tag is a name.
func nameReader[T any](c *cli, name string, read func(*kong.Tag, string) (T, error)) kong.Option {
	return kong.NamedMapper(name, valueReader(c, read))
}

// valueReader parses a value, and only records that a value is invalid. The error is returned when the command begins.
// A flag may replace a wrong value of the environment, --help needs no values, and bounce has an exit status of its
// own.
func valueReader[T any](c *cli, read func(*kong.Tag, string) (T, error)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("value", &text); err != nil {
			return err
		}
		if text == "" && ctx.Value.Default == "" && !ctx.Value.Required { // like a missing value
			target.SetZero()
			return nil
		}
		value, err := read(ctx.Value.Tag, text)
		if err == nil {
			target.Set(reflect.ValueOf(value).Convert(target.Type()))
			return nil
		}
		word, _, _ := strings.Cut(ctx.Value.Tag.Get("words"), ",")
		example := cmp.Or(ctx.Value.Tag.Get("example"), ctx.Value.Default, word)
		if example == "" && ctx.Value.IsBool() {
			example = "true"
		}
		c.unusable[valueFrom{ctx.Value, !c.resets}] = badSetting(settingOf(ctx.Value.Name), text, err.Error(), example)
		return nil
	}
}

// A switchReader parses a flag that may have a value but needs none: --json=true.
type switchReader struct{ *cli }

func (switchReader) IsBool() bool { return true }

func (r switchReader) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	token := ctx.Scan.Peek()
	if token.Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	if value, ok := token.Value.(bool); ok { // from --no-…
		ctx.Scan.Pop()
		target.SetBool(value)
		return nil
	}
	return valueReader(r.cli, readSwitch)(ctx, target)
}

func readSwitch(_ *kong.Tag, s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "yes", "1":
		return true, nil
	case "false", "no", "0":
		return false, nil
	}
	return false, errors.New("is neither true nor false")
}

// readWord parses one of the words in a flag's tag.
func readWord(tag *kong.Tag, s string) (string, error) {
	words := strings.Split(tag.Get("words"), ",")
	if !slices.Contains(words, s) {
		last := len(words) - 1
		return "", fmt.Errorf("is neither %s nor %s", strings.Join(words[:last], ", "), words[last])
	}
	return s, nil
}

// statusOf returns the exit status of an error of kong. Only its text shows whether the environment or the command line
// is wrong.
func statusOf(err error) int {
	if strings.Contains(err.Error(), "(from envar DIGEST_") {
		return exitFailed
	}
	return exitUsage
}

// blame returns the exit status of an error, and the error with the name that the person used. Only a wrong flag is a
// usage error; a wrong setting in the environment is not.
func (c *cli) blame(err error) (int, error) {
	bad, ok := errors.AsType[*settingError](err)
	if !ok {
		if _, ok := errors.AsType[wrongLine](err); ok {
			return exitUsage, err
		}
		return exitFailed, err
	}
	text, status := bad.text, exitFailed
	for _, f := range c.model.Flags {
		if s, ok := c.file.setting(f); ok && !c.given[f.Name] && len(bad.names) > 0 && s.Name == bad.names[0] {
			text = c.file.place(s) + ": " + text
		}
	}
	for _, name := range bad.names {
		if flag := flagOf(name); c.given[flag] {
			text = strings.Replace(text, name+"=", "--"+flag+"=", 1)
			status = exitUsage
		}
	}
	return status, &settingError{names: bad.names, text: text}
}

func (c *cli) sets(flag string) bool {
	for _, f := range c.model.Flags {
		if f.Name == flag {
			_, fromFile := c.file.setting(f)
			_, environment := os.LookupEnv(settingOf(flag))
			return c.given[flag] || fromFile || environment
		}
	}
	return false
}

// flagOf returns the flag of a setting: base-url of DIGEST_BASE_URL.
func flagOf(setting string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(setting, "DIGEST_")), "_", "-")
}

// settingOf returns the setting of a flag: DIGEST_BASE_URL of base-url.
func settingOf(flag string) string {
	return "DIGEST_" + strings.ReplaceAll(strings.ToUpper(flag), "-", "_")
}

// A settingError reports an invalid setting from the environment or a flag. Its text has the setting as NAME=value.
type settingError struct {
	names []string
	text  string
	err   error // the cause; nil: text has it
}

func (e *settingError) Error() string { return e.text }

func (e *settingError) Unwrap() error { return e.err }

func badSetting(name, value, what, example string) *settingError {
	return &settingError{names: []string{name}, text: fmt.Sprintf("%s=%q %s; an example: %s", name, value, what,
		example)}
}

// A wrongLine reports flags of a command line that conflict.
type wrongLine string

func (w wrongLine) Error() string { return string(w) }

func joinLines(errs []error) error {
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	return errors.New(strings.Join(each(errs, error.Error), "; "))
}
