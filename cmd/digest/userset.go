package main

import (
	"fmt"
	"time"

	"digest"
	"digest/store"
	"digest/timezone"
)

type userSetCmd struct {
	Email      string `arg:""`
	TimeZone   string `placeholder:"ZONE" help:"Move the reader to this IANA zone; no date gets a second edition."`
	State      string `enum:"active,paused,left," default:"" placeholder:"STATE" help:"active, paused (nothing is made or gathered meanwhile) or left (never mailed)."`
	Operator   *bool  `placeholder:"true|false" help:"Whether they run this instance: its page on the web is theirs."`
	NewEmail   string `name:"email" placeholder:"ADDRESS" help:"Give them another address without asking either; their browsers are signed out."`
	PauseUntil string `placeholder:"DATE" help:"Pause until this date by the reader's clock, such as 2026-12-01; nothing is lost, and all of it comes then in one edition."`
	Mailed     *bool  `negatable:"" help:"Mail the editions; without, they stand in the web view only."`
	Stay       string `placeholder:"\"ZONE FIRST..LAST\"" help:"Plan days in another zone, such as \"Asia/Tokyo 2026-10-03..2026-10-17\"; both days are included."`
	NoStays    bool   `help:"Take all stays back; one that has begun ends."`
	lookFlags
}

// Run changes a reader.
func (c userSetCmd) Run(a *app) error {
	chosen, err := c.understand()
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		u, d, err := a.reader(st, c.Email)
		if err != nil {
			return err
		}
		if err := c.set(a, st, u, d); err != nil {
			return err
		}
		if err := chosen.apply(a, st, d); err != nil {
			return err
		}
		email, err := c.setAccount(a, st, u)
		if err != nil {
			return err
		}
		return a.showUser(st, email)
	})
}

// setAccount changes who the reader is here, and gives their address.
func (c userSetCmd) setAccount(a *app, st *store.Store, u digest.User) (string, error) {
	if c.Operator != nil {
		if err := st.SetOperator(a.soft, u.ID, *c.Operator); err != nil {
			return "", err
		}
	}
	if c.NewEmail == "" {
		return u.Email, nil
	}
	email, err := parseEmail(c.NewEmail)
	if err != nil {
		return "", err
	}
	return email, st.SetEmail(a.soft, u.ID, email)
}

// understand checks all that can be checked without the database.
func (c userSetCmd) understand() (chosen, error) {
	if c.TimeZone == "" && c.State == "" && c.PauseUntil == "" && c.Operator == nil && c.NewEmail == "" && c.Mailed == nil && c.Stay == "" &&
		!c.NoStays && c.empty() {
		return chosen{}, wrongLine("nothing to set; see digest user set --help")
	}
	if c.State != "" && c.PauseUntil != "" {
		return chosen{}, wrongLine("--pause-until pauses already; leave --state out")
	}
	if c.PauseUntil != "" {
		if _, err := digest.ParseDate(c.PauseUntil); err != nil {
			return chosen{}, badSetting("DIGEST_PAUSE_UNTIL", c.PauseUntil, "is not a date", "2026-12-01")
		}
	}
	if c.TimeZone != "" {
		if _, err := timezone.Load(c.TimeZone); err != nil {
			return chosen{}, err
		}
	}
	if c.NewEmail != "" {
		if _, err := parseEmail(c.NewEmail); err != nil {
			return chosen{}, err
		}
	}
	if c.Stay != "" {
		if _, err := parseStay(c.Stay); err != nil {
			return chosen{}, err
		}
	}
	return c.lookFlags.understand()
}

// set changes all but the look: where the reader is, the state and the mail.
func (c userSetCmd) set(a *app, st *store.Store, u digest.User, d digest.Digest) error {
	if c.NoStays {
		if err := a.dropStays(st, u.ID); err != nil {
			return err
		}
	}
	if c.Mailed != nil {
		if err := st.SetMailed(a.soft, d.ID, *c.Mailed, a.now()); err != nil {
			return err
		}
	}
	if c.TimeZone != "" {
		if err := st.SetTimeZone(a.soft, u.ID, c.TimeZone, a.now()); err != nil {
			return err
		}
		u.TimeZone = c.TimeZone
	}
	if err := c.plan(a, st, u.ID); err != nil {
		return err
	}
	switch {
	case c.PauseUntil != "":
		until, err := dayBegins(c.PauseUntil, u.TimeZone)
		if err != nil {
			return err
		}
		if !until.After(a.now()) {
			return wrongLine("--pause-until=%q has begun already for %s; name a date to come", c.PauseUntil, u.Email)
		}
		return st.PauseDigest(a.soft, d.ID, until, a.now())
	case c.State != "":
		return st.SetDigestState(a.soft, d.ID, digest.DigestState(c.State), a.now())
	}
	return nil
}

// dayBegins is the first instant of a date in a zone.
func dayBegins(date, zone string) (time.Time, error) {
	day, err := digest.ParseDate(date)
	if err != nil {
		return time.Time{}, err
	}
	loc, err := timezone.Load(zone)
	if err != nil {
		return time.Time{}, err
	}
	before := time.Date(day.Year, day.Month, day.Day-1, 12, 0, 0, 0, loc)
	return timezone.NextMidnight(before, loc), nil
}

// info is a reader as a list of readers shows them.
func (a *app) info(st *store.Store, email string) (info store.UserInfo, err error) {
	if info.User, info.Digest, err = a.reader(st, email); err != nil {
		return info, err
	}
	subs, err := st.Subscriptions(a.soft, info.Digest.ID)
	if err != nil {
		return info, err
	}
	info.Subscriptions = len(subs)
	if info.Stays, err = st.Stays(a.soft, info.ID); err != nil {
		return info, err
	}
	s, suppressed, err := st.Suppressed(a.soft, info.Email)
	if suppressed {
		info.Suppressed = &s
	}
	return info, err
}

// showUser prints a reader as they are now.
func (a *app) showUser(st *store.Store, email string) error {
	u, err := a.info(st, email)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reported(u))
	}
	fmt.Fprintf(a.stdout, "%s: %s, %s, %s%s\n", u.Email, u.TimeZone, u.Digest.State, nextEdition(u.User, u.Digest, "next edition "), habits(u))
	return nil
}
