package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"digest"
	"digest/internal/members"
	"digest/internal/places"
	"digest/store"
	"digest/subscribe"
)

type newsletterImportCmd struct {
	slugArg
	File     string `arg:"" help:"A CSV or ZIP file exported by digest or another newsletter service."`
	Left     bool   `env:"-" help:"Import everyone as unsubscribed; send them nothing."`
	Ask      bool   `env:"-" help:"Slowly send one confirmation email to each person without proof of consent."`
	DryRun   bool   `env:"-" help:"Check the list and change nothing."`
	TimeZone string `placeholder:"ZONE" env:"-" help:"The time zone of members without one in the list (default: the owner's)."`
}

func (c *newsletterImportCmd) check() error {
	if c.TimeZone == "" {
		return nil
	}
	var err error
	c.TimeZone, err = places.Zone(c.TimeZone)
	return err
}

type reportedImport struct {
	Slug        string   `json:"slug"`
	System      string   `json:"system"` // the program that wrote the list
	Files       []string `json:"files"`
	DryRun      bool     `json:"dry_run"`
	Proven      int      `json:"proven"`      // people with proof of consent in the list
	Joined      int      `json:"joined"`      // of these, new members
	Already     int      `json:"already"`     // of these, existing members
	Refused     int      `json:"refused"`     // of these, people who left or must not get issues
	NoRoom      int      `json:"no_room"`     // of these, above the member limit
	Suppressed  int      `json:"suppressed"`  // suppressed by the list
	Unproven    int      `json:"unproven"`    // without proof of consent, so not added
	Unconfirmed int      `json:"unconfirmed"` // not confirmed in the other program
	Unread      int      `json:"unread"`      // invalid rows

	// The people without proof, with --ask.
	ToAsk       int `json:"to_ask"`       // who get a confirmation request
	AskedBefore int `json:"asked_before"` // who got one before, or wait for one
	NotAsked    int `json:"not_asked"`    // members, and people who must not get issues
}

// Run adds the people with proof of consent as members, except those who left. It can be interrupted and run again.
func (c *newsletterImportCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	f, size, err := openList(c.File)
	if err != nil {
		return fmt.Errorf("%s: %w", plain(c.File), err)
	}
	defer f.Close()
	list, err := members.Open(a.soft, f, size, filepath.Base(c.File))
	if err != nil {
		return err
	}
	if c.Left {
		list.Suppress(members.Left)
	}
	for _, skipped := range list.Skipped {
		fmt.Fprintln(a.stderr, "digest: not read: "+plain(skipped))
	}
	i := subscribe.MemberImport{Store: st, Newsletter: n, TimeZone: c.TimeZone, Ask: c.Ask, DryRun: c.DryRun,
		Now: a.now}
	i.OnUnread = func(p *members.Problem) {
		if i.Unread <= mostUnread {
			fmt.Fprintln(a.stderr, "digest: skipped "+plain(p.Error()))
		}
	}
	if err := i.Run(a.soft, list); err != nil {
		return err
	}
	if more := i.Unread - mostUnread; more > 0 {
		fmt.Fprintf(a.stderr, "digest: skipped %s more\n", digest.Counted(more, "row"))
	}
	return a.sayImport(n, i.MemberCount, reportedImport{
		Slug: n.Slug, System: list.System, Files: list.Files, DryRun: c.DryRun, Proven: i.Proven, Joined: i.Joined,
		Already: i.Already, Refused: i.Refused,
		NoRoom: i.NoRoom, Suppressed: i.Suppressed, Unproven: i.Unproven, Unconfirmed: i.Unconfirmed, Unread: i.Unread,
		ToAsk: i.Asks.Queued, AskedBefore: i.Asks.Known, NotAsked: i.Asks.Barred,
	})
}

// Further invalid rows are only counted.
const mostUnread = 50

// openList opens a regular file, because a list is read at random offsets.
func openList(name string) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, 0, errors.New("is not a file; name the file of the list")
	}
	if err != nil {
		return nil, 0, withoutPath(err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, withoutPath(err)
	}
	return f, info.Size(), nil
}

func (a *app) sayImport(n digest.Newsletter, count subscribe.MemberCount, r reportedImport) error {
	return a.show(r, func() error {
		a.printf("%s: a list of %s\n", plain(n.Name), plain(r.System))
		for _, line := range count.Lines(r.DryRun) {
			a.printf("%s: %d\n", line.What, line.N)
		}
		return nil
	})
}

type newsletterExportCmd struct {
	reads
	slugArg
	File string `arg:"" help:"The ZIP file to write; only its owner can read it."`
}

func (c newsletterExportCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return digest.Errorf(digest.Conflict, "%s exists already; name another file", plain(c.File))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", plain(c.File), err)
	}
	to := bufio.NewWriter(f)
	err = members.Export{
		Newsletter: n.Name, MadeAt: a.now(),
		Members:    st.Members.Members(a.soft, n.ID, store.MemberQuery{}),
		Suppressed: st.Members.NewsletterSuppressions(a.soft, n.ID),
		Asked:      st.Members.AskedAddresses(a.soft, n.ID),
	}.Write(to)
	if err == nil {
		err = to.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(c.File))
	}
	return a.say(map[string]any{"slug": n.Slug, "file": c.File}, "%s: wrote its members and suppressed addresses to %s",
		plain(n.Name), plain(c.File))
}
