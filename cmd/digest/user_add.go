package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"digest"
	"digest/internal/members"
	"digest/internal/places"
	"digest/store"
)

type userAddCmd struct {
	makes
	Email    string  `arg:"" optional:""`
	TimeZone *string `placeholder:"ZONE" help:"A city or time zone, such as Paris or America/New_York; with --file, for lines without one."`
	File     string  `placeholder:"FILE" env:"-" help:"Add all readers of a CSV file whose first line is email,time_zone."`
	DryRun   bool    `env:"-" help:"With --file: only check the file."`
	Language string  `placeholder:"TAG" env:"-" help:"The reader's language, such as de (default: the browser's, and English in email)."`
	lookFlags
}

const mostReaders = 100_000

func (c *userAddCmd) check() (err error) {
	switch {
	case (c.Email == "") == (c.File == ""):
		return wrongLine("name an email address, or a CSV file with --file, but not both; see digest user add --help")
	case c.File == "" && c.DryRun:
		return wrongLine("--dry-run needs --file")
	case c.File == "" && c.TimeZone == nil:
		return wrongLine("missing flags: --time-zone=ZONE; see digest user add --help")
	}
	if err := checkLanguage(c.Language); err != nil {
		return err
	}
	if c.Email != "" {
		if c.Email, err = parseEmail(c.Email); err != nil {
			return err
		}
	}
	if c.TimeZone != nil {
		*c.TimeZone, err = places.Zone(*c.TimeZone)
	}
	return err
}

func (c *userAddCmd) Run(a *app, st *store.Store) error {
	if c.File != "" {
		return c.addAll(a, st)
	}
	info, err := c.add(a, st, c.Email, *c.TimeZone)
	if err != nil {
		return err
	}
	return a.say(reportUser(info), "added %s; the first edition comes at %s%s",
		info.Email, inZone(info.Digest.NextDueAt, info.TimeZone), habits(info))
}

func (c *userAddCmd) add(a *app, st *store.Store, email, zone string) (info store.UserInfo, err error) {
	u, d, err := st.Readers.AddUser(a.soft, email, zone, a.now())
	if err == nil {
		err = c.apply(a, st, d)
	}
	if err == nil && c.Language != "" {
		err = a.setLanguage(st, u.ID, c.Language)
	}
	if err != nil {
		return info, err
	}
	return a.userInfo(st, u.Email)
}

type reportedLine struct {
	Line  int    `json:"line"`
	Email string `json:"email"`
	Added bool   `json:"added"` // with --dry-run: would be added
	Error string `json:"error"`
}

// addAll adds the readers of a file one by one. It reports an invalid line and continues with the others.
func (c *userAddCmd) addAll(a *app, st *store.Store) error {
	f, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("%s %w", c.File, withoutPath(err))
	}
	defer f.Close()
	lines, added := []reportedLine{}, 0
	met := map[string]int{}
	for r, err := range members.Readers(f, mostReaders) {
		wrong, one := errors.AsType[*members.Problem](err)
		line := reportedLine{Line: r.Line, Email: r.Email}
		switch {
		case one:
			line.Line, err = wrong.Line, errors.New(wrong.Message)
		case err != nil:
			if len(lines) == 0 {
				return fmt.Errorf("%s: %w", c.File, err)
			}
			return errors.Join(a.showLines(lines, c.DryRun),
				fmt.Errorf("%s: %w; %d of its readers were added", c.File, err, added))
		case a.soft.Err() != nil:
			return errors.Join(a.showLines(lines, c.DryRun), errInterrupted)
		default:
			err = c.addLine(a, st, r, met)
		}
		if line.Added = err == nil; line.Added {
			added++
		} else {
			line.Error = err.Error()
		}
		lines = append(lines, line)
	}
	if err := a.showLines(lines, c.DryRun); err != nil {
		return err
	}
	if refused := len(lines) - added; refused > 0 {
		return fmt.Errorf("%s of %s could not be used; each has its reason, and all others are done",
			digest.Counted(refused, "line"), c.File)
	}
	return nil
}

// addLine adds the reader of a line. With --dry-run it only returns the error that adding would cause. met has the
// lines of all addresses so far.
func (c *userAddCmd) addLine(a *app, st *store.Store, r members.Reader, met map[string]int) error {
	email, err := parseEmail(r.Email)
	if err != nil {
		return err
	}
	key := digest.EmailKey(email)
	if first := met[key]; first > 0 {
		return fmt.Errorf("line %d has the same address", first)
	}
	met[key] = r.Line
	zone := r.TimeZone
	if zone == "" && c.TimeZone != nil {
		zone = *c.TimeZone
	}
	if zone == "" {
		return errors.New("it has no time zone; add a column time_zone to the file, or use --time-zone")
	}
	if zone, err = places.Zone(zone); err != nil {
		return err
	}
	if !c.DryRun {
		_, err = c.add(a, st, email, zone)
		return err
	}
	switch _, err := st.Readers.UserByEmail(a.soft, email); {
	case err == nil:
		return errors.New("there is already a reader with this address")
	case digest.KindOf(err) == digest.NotFound:
		return nil
	default:
		return err
	}
}

func (a *app) showLines(lines []reportedLine, dry bool) error {
	done := "added"
	if dry {
		done = "would be added"
	}
	return a.show(lines, func() error {
		return printList(a, lines, "the file has no readers", func(l reportedLine) string {
			return fmt.Sprintf("line %d\t%s\t%s", l.Line, plain(l.Email), plain(cmp.Or(l.Error, done)))
		})
	})
}
