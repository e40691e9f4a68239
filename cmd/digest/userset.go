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
func (c userSetCmd) Run(e *env) error {
	chosen, err := c.understand()
	if err != nil {
		return err
	}
	return e.withStore(func(st *store.Store) error {
		u, d, err := e.reader(st, c.Email)
		if err != nil {
			return err
		}
		if err := c.set(e, st, u, d); err != nil {
			return err
		}
		if err := chosen.apply(e, st, d); err != nil {
			return err
		}
		email, err := c.setAccount(e, st, u)
		if err != nil {
			return err
		}
		return e.showUser(st, email)
	})
}

// setAccount changes who the reader is here, and gives their address.
func (c userSetCmd) setAccount(e *env, st *store.Store, u digest.User) (string, error) {
	if c.Operator != nil {
		if err := st.SetOperator(e.soft, u.ID, *c.Operator); err != nil {
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
	return email, st.SetEmail(e.soft, u.ID, email)
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
func (c userSetCmd) set(e *env, st *store.Store, u digest.User, d digest.Digest) error {
	if c.NoStays {
		if err := e.dropStays(st, u.ID); err != nil {
			return err
		}
	}
	if c.Mailed != nil {
		if err := st.SetMailed(e.soft, d.ID, *c.Mailed, e.now()); err != nil {
			return err
		}
	}
	if c.TimeZone != "" {
		if err := st.SetTimeZone(e.soft, u.ID, c.TimeZone, e.now()); err != nil {
			return err
		}
		u.TimeZone = c.TimeZone
	}
	if err := c.plan(e, st, u.ID); err != nil {
		return err
	}
	switch {
	case c.PauseUntil != "":
		until, err := dayBegins(c.PauseUntil, u.TimeZone)
		if err != nil {
			return err
		}
		if !until.After(e.now()) {
			return wrongLine("--pause-until=%q has begun already for %s; name a date to come", c.PauseUntil, u.Email)
		}
		return st.PauseDigest(e.soft, d.ID, until, e.now())
	case c.State != "":
		return st.SetDigestState(e.soft, d.ID, digest.DigestState(c.State), e.now())
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
func (e *env) info(st *store.Store, email string) (info store.UserInfo, err error) {
	if info.User, info.Digest, err = e.reader(st, email); err != nil {
		return info, err
	}
	subs, err := st.Subscriptions(e.soft, info.Digest.ID)
	if err != nil {
		return info, err
	}
	info.Subscriptions = len(subs)
	if info.Stays, err = st.Stays(e.soft, info.ID); err != nil {
		return info, err
	}
	s, suppressed, err := st.Suppressed(e.soft, info.Email)
	if suppressed {
		info.Suppressed = &s
	}
	return info, err
}

// showUser prints a reader as they are now.
func (e *env) showUser(st *store.Store, email string) error {
	u, err := e.info(st, email)
	if err != nil {
		return err
	}
	if e.json {
		return e.printJSON(reported(u))
	}
	fmt.Fprintf(e.stdout, "%s: %s, %s, %s%s\n", u.Email, u.TimeZone, u.Digest.State, nextEdition(u.User, u.Digest, "next edition "), habits(u))
	return nil
}
