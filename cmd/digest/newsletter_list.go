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
	"digest/store"
	"digest/timezone"
)

type newsletterImportCmd struct {
	slugArg
	File     string `arg:"" help:"A CSV file or a ZIP, as another program has exported it or as ours does."`
	Left     bool   `env:"-" help:"Everybody in the list has left: nothing is sent to them."`
	DryRun   bool   `env:"-" help:"Say what the list holds; change nothing."`
	TimeZone string `placeholder:"ZONE" env:"-" help:"Of those whose list does not tell it (the owner's)."`
}

func (c *newsletterImportCmd) check() error {
	if c.TimeZone == "" {
		return nil
	}
	_, err := timezone.Load(c.TimeZone)
	return err
}

// reportedImport is what became of a list, as JSON.
type reportedImport struct {
	Slug        string   `json:"slug"`
	System      string   `json:"system"` // that wrote the list
	Files       []string `json:"files"`
	DryRun      bool     `json:"dry_run"`
	Proven      int      `json:"proven"`      // whose consent the list proves
	Joined      int      `json:"joined"`      // of these, who were no members
	Already     int      `json:"already"`     // who were
	Refused     int      `json:"refused"`     // who have left, or to whom it must not be sent
	Suppressed  int      `json:"suppressed"`  // whom the list says to leave alone
	Unproven    int      `json:"unproven"`    // whose consent nothing proves: they did not join
	Unconfirmed int      `json:"unconfirmed"` // who never confirmed to the other program
	Unread      int      `json:"unread"`      // rows that could not be used
}

// Run makes those members whose consent the list proves, and leaves those alone who have
// left. It may be interrupted, and run again.
func (c *newsletterImportCmd) Run(a *app, st *store.Store) error {
	n, err := st.NewsletterBySlug(a.soft, c.Slug)
	if err != nil {
		return err
	}
	archive, err := st.Digest(a.soft, n.ArchiveID)
	if err != nil {
		return err
	}
	if c.TimeZone == "" {
		c.TimeZone = archive.TimeZone
	}
	f, size, err := openList(c.File)
	if err != nil {
		return fmt.Errorf("%s: %w", plain(c.File), err)
	}
	defer f.Close()
	list, err := members.Open(f, size, filepath.Base(c.File))
	if err != nil {
		return err
	}
	if c.Left {
		list.Suppress(members.Left)
	}
	i := memberImport{app: a, store: st, newsletter: n, zone: c.TimeZone, report: reportedImport{Slug: n.Slug, System: list.System, Files: list.Files, DryRun: c.DryRun}}
	for _, skipped := range list.Skipped {
		fmt.Fprintln(a.stderr, "digest: not read: "+plain(skipped))
	}
	if err := i.run(list); err != nil {
		return err
	}
	return i.say()
}

// openList opens a file that can be read from anywhere in it.
func openList(name string) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, 0, errors.New("is no file; give the list as one")
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

// A memberImport is one list on its way into a newsletter.
type memberImport struct {
	*app
	store      *store.Store
	newsletter digest.Newsletter
	zone       string
	report     reportedImport

	suppress []digest.NewsletterSuppression
	join     []store.Joining
}

const (
	importedAtOnce = 200 // people
	mostUnread     = 50  // rows that are named; the others are counted
)

// run goes through a list. Whoever must be left alone comes first in it.
func (i *memberImport) run(list *members.List) error {
	for row, err := range list.Rows() {
		if problem, ok := errors.AsType[*members.Problem](err); ok {
			if i.report.Unread++; i.report.Unread <= mostUnread {
				fmt.Fprintln(i.stderr, "digest: left out "+plain(problem.Error()))
			}
			continue
		}
		if err == nil {
			err = i.read(row)
		}
		if err != nil {
			return err
		}
	}
	if more := i.report.Unread - mostUnread; more > 0 {
		fmt.Fprintf(i.stderr, "digest: left out %s more\n", digest.Counted(more, "row"))
	}
	return i.flush()
}

// read reads what a list says of one person.
func (i *memberImport) read(row members.Row) error {
	switch row.Action() {
	case members.Suppress:
		i.report.Suppressed++
		i.suppress = append(i.suppress, row.Suppression())
	case members.Ask:
		i.report.Unproven++
	case members.Ignore:
		i.report.Unconfirmed++
	case members.Join:
		i.report.Proven++
		j := store.Joining{Email: row.Email, TimeZone: row.TimeZone, Proof: row.Proof, JoinedAt: row.JoinedAt, Cadence: row.Cadence, Paused: row.Paused}
		if j.TimeZone == "" {
			j.TimeZone = i.zone
		}
		if j.Form == "" {
			j.Form = i.report.System + ": " + row.File
		}
		i.join = append(i.join, j)
	}
	if len(i.suppress)+len(i.join) < importedAtOnce {
		return nil
	}
	return i.flush()
}

// flush stores what was read.
func (i *memberImport) flush() error {
	suppress, join := i.suppress, i.join
	i.suppress, i.join = i.suppress[:0], i.join[:0]
	if i.report.DryRun {
		return nil
	}
	if _, err := i.store.SuppressInNewsletter(i.soft, i.newsletter.ID, suppress, i.now()); err != nil {
		return err
	}
	n, err := i.store.JoinAll(i.soft, i.newsletter.ID, join, i.now())
	i.report.Joined += n.Joined
	i.report.Already += n.Already
	i.report.Refused += n.Suppressed
	return err
}

// An importLine says of how many people of a list something holds.
type importLine struct {
	what string
	n    int
}

func (i *memberImport) say() error {
	r := i.report
	return i.show(r, func() error {
		fmt.Fprintf(i.stdout, "%s: a list of %s\n", plain(i.newsletter.Name), plain(r.System))
		lines := []importLine{{"joined", r.Joined}, {"members already", r.Already}, {"left before, not brought back", r.Refused}}
		if r.DryRun {
			lines = []importLine{{"with a proof of their consent", r.Proven}}
		}
		for _, line := range append(lines, importLine{"left alone, as the list says", r.Suppressed}, importLine{"not joined, as nothing proves that they wanted it", r.Unproven},
			importLine{"never confirmed, left alone", r.Unconfirmed}, importLine{"rows not read", r.Unread}) {
			if line.n > 0 {
				fmt.Fprintf(i.stdout, "%s: %d\n", line.what, line.n)
			}
		}
		return nil
	})
}

type newsletterExportCmd struct {
	reads
	slugArg
	File string `arg:"" help:"The ZIP to be made; it holds addresses, and only its owner may read it."`
}

// Run writes the members with their proofs, and whom the newsletter is not sent to.
func (c newsletterExportCmd) Run(a *app, st *store.Store) error {
	n, err := st.NewsletterBySlug(a.soft, c.Slug)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &digest.Error{Kind: digest.Conflict, Message: plain(c.File) + " exists already; name another file"}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", plain(c.File), err)
	}
	to := bufio.NewWriter(f)
	err = members.Export{
		Newsletter: n.Name, MadeAt: a.now(),
		Members:    st.Members(a.soft, n.ID, store.MemberQuery{}),
		Suppressed: st.NewsletterSuppressions(a.soft, n.ID),
	}.Write(to)
	if err == nil {
		err = to.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(c.File))
	}
	return a.say(map[string]any{"slug": n.Slug, "file": c.File}, "%s: its members and whom it is not sent to are in %s", plain(n.Name), plain(c.File))
}
