package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is the command line. Names, defaults and meanings are fixed: scripts rely
// on them. Every flag has an environment variable DIGEST_<FLAG>.
type cli struct {
	Now      string `placeholder:"INSTANT" help:"Run as of this instant (2026-11-20T00:00:00Z), with no waiting; serve and work start there and run on."`
	JSON     bool   `name:"json" help:"Print JSON for scripts."`
	LogLevel string `default:"" placeholder:"LEVEL" help:"debug, info, warn or error (info for serve and work, error for tick, else warn)."`

	PrintVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`

	settings

	Serve        serveCmd        `cmd:"" help:"Everything in one process: the hourly job, delivery and the web view."`
	Work         workCmd         `cmd:"" help:"The hourly job and delivery without the web view; run any number beside one PostgreSQL."`
	Tick         tickCmd         `cmd:"" help:"The hourly job once: poll, release and deliver what is due, then exit (for cron)."`
	Demo         demoCmd         `cmd:"" help:"Watch the main job run on sample feeds: three readers, three midnights."`
	User         userCmd         `cmd:"" help:"Add, list, change and remove readers; sign-in links."`
	Invite       inviteCmd       `cmd:"" help:"Print a link by which one person can sign up."`
	Subscribe    subscribeCmd    `cmd:"" help:"Find the feed behind each address and subscribe a reader to it."`
	Unsubscribe  unsubscribeCmd  `cmd:"" help:"End a reader's subscription to a feed."`
	OPML         opmlCmd         `cmd:"" name:"opml" help:"Bring subscription lists in and out."`
	Preview      previewCmd      `cmd:"" help:"Print the edition that the reader's next midnight would bring."`
	Feeds        feedsCmd        `cmd:"" help:"Every feed, or one: state, last answer, why it waits, when it is asked next."`
	Poll         pollCmd         `cmd:"" help:"Ask one feed now, if it may be asked; a dead one gets another chance."`
	Hosts        hostsCmd        `cmd:"" help:"Hosts whose feeds are asked less often."`
	DKIM         dkimCmd         `cmd:"" name:"dkim" help:"Keys that sign the mail, and the DNS records that show them."`
	Bounce       bounceCmd       `cmd:"" help:"Take in one message that came back, from standard input (for a mail server's pipe)."`
	Suppressions suppressionsCmd `cmd:"" help:"Addresses that are not mailed, with reason and evidence."`
	Queue        queueCmd        `cmd:"" help:"What mail waits, why, and what became of the rest."`
	Limits       limitsCmd       `cmd:"" help:"How much mail a recipient domain, or the route, gets."`
	Doctor       doctorCmd       `cmd:"" help:"Check what an operator must have right, and say what to do."`
	Fence        fenceCmd        `cmd:"" help:"Why a database is left alone, what would happen next, and its release."`
	Parse        parseCmd        `cmd:"" help:"What the program reads in documents; nothing is stored."`
	Migrate      migrateCmd      `cmd:"" help:"Bring the database to this version's schema."`
	Version      versionCmd      `cmd:"" help:"Print the version."`
	Help         helpCmd         `cmd:"" help:"What a command does and which flags it takes."`

	given map[string]bool // flags on the command line itself, by name
}

type helpCmd struct {
	Command []string `arg:"" optional:""`
}

// A command does its work with what the app offers.
type command interface {
	Run(e *app) error
}

// parseArgs reads the command line. It gives no command and no error when
// there is nothing left to do, as after --help.
func parseArgs(c *cli, args []string, stdout io.Writer) (cmd command, status int, err error) {
	parsed, status, err := parseKong(c, args, stdout)
	if err != nil || parsed == nil {
		return nil, status, err
	}
	switch target := parsed.Selected().Target.Addr().Interface().(type) {
	case *helpCmd:
		return parseArgs(new(cli), append(target.Command, "--help"), stdout)
	case command:
		c.given = givenFlags(parsed)
		return target, exitDone, nil
	}
	return nil, exitUsage, fmt.Errorf("%s needs a command; see digest %s --help", parsed.Command(), parsed.Command())
}

// parseKong is parseArgs up to what the words mean; nil when all is done.
func parseKong(c *cli, args []string, stdout io.Writer) (parsed *kong.Context, status int, err error) {
	exited := false
	parser, err := kong.New(c,
		kong.Name("digest"),
		kong.Description("A daily newspaper made of the feeds you chose, delivered at your own midnight."),
		kong.DefaultEnvars("DIGEST"),
		kong.Vars{"version": "digest " + version()},
		kong.Writers(stdout, io.Discard),
		kong.Exit(func(s int) { exited, status = true, s }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return nil, exitUsage, fmt.Errorf("describing the command line: %w", err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err = parser.Parse(args)
	if exited {
		return nil, status, nil
	}
	if err != nil {
		return nil, statusOf(err), fmt.Errorf("%w; see digest --help", err)
	}
	return parsed, exitDone, nil
}

// statusOf tells a command line that is wrong from an environment that is,
// which kong says only in words.
func statusOf(err error) int {
	if strings.Contains(err.Error(), "(from envar DIGEST_") {
		return exitFailed
	}
	return exitUsage
}

func givenFlags(parsed *kong.Context) map[string]bool {
	given := map[string]bool{}
	for _, p := range parsed.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag.Name] = true
		}
	}
	return given
}

// blame gives the exit status of an error, and the error in the words of the
// person: a flag that cannot be understood makes the command line wrong, a
// setting of the environment does not.
func (c *cli) blame(err error) (int, error) {
	bad, ok := errors.AsType[*settingError](err)
	if !ok {
		if status, ok := statusIn(err); ok {
			return status, err
		}
		return exitFailed, err
	}
	text, status := bad.text, exitFailed
	for _, name := range bad.names {
		if flag := flagOf(name); c.given[flag] {
			text = strings.Replace(text, name+"=", "--"+flag+"=", 1)
			status = exitUsage
		}
	}
	return status, errors.New(text)
}

// flagOf is the flag of a setting: base-url of DIGEST_BASE_URL.
func flagOf(setting string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(setting, "DIGEST_")), "_", "-")
}
