package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/calendar"
	"digest/internal/places"
	"digest/store"
)

// lookFlags are the email settings of a reader. Missing flags change nothing.
type lookFlags struct {
	DeliverAt *time.Duration `type:"clock" example:"07:00" placeholder:"HH:MM" help:"When to send the email, in the reader's time zone; the edition closes at midnight."`
	Days      digest.Cadence `example:"daily, weekdays, mon,thu, or \"monthly on 15\"" placeholder:"DAYS" help:"daily, weekdays, days such as mon,thu, or once a month: monthly, \"monthly on 15\", \"monthly on last day\", \"monthly on first mon\"."`
	Layout    digest.Layout  `type:"word" words:"headlines,excerpts,full" placeholder:"LAYOUT" help:"headlines, excerpts or full (text)."`
	Images    digest.Images  `type:"word" words:"off,linked,proxy" placeholder:"HOW" help:"Pictures in full text: off, linked, or proxy (fetched by this instance, also shown with excerpts)."`
	Threaded  *bool          `negatable:"" help:"Let mail programs group all editions into one conversation."`
	Subject   string         `type:"word" words:"date,lead" placeholder:"WHAT" help:"The subject: lead (the leading headline and the names of sites), or date (and number of posts)."`
	Budget    *int           `env:"-" name:"reading-time" enum:"0,10,20,30,60" placeholder:"MINUTES" help:"How long reading an edition takes: 10, 20, 30 or 60 minutes; other posts are headlines at its end. 0: no limit."`

	Grouping    digest.Grouping  `env:"-" type:"word" words:"folders,sites" placeholder:"HOW" help:"Group posts by folder (folders) or list sites by name (sites)."`
	WebLayout   *digest.Layout   `env:"-" enum:"mail,headlines,excerpts,full" placeholder:"LAYOUT" help:"Layout on the web: headlines, excerpts, full (text), or mail (same as email)."`
	WebGrouping *digest.Grouping `env:"-" enum:"mail,folders,sites" placeholder:"HOW" help:"Grouping on the web: folders, sites, or mail (same as email)."`
	WebImages   digest.Images    `env:"-" type:"word" words:"off,proxy" placeholder:"HOW" help:"Pictures on the web: off, or proxy (fetched by this instance)."`
	Headlines   string           `env:"-" type:"word" words:"author,text" placeholder:"WHAT" help:"Headlines on the web open: author (the author's page), or text (the text on this instance, if there is one)."`
}

// asInMail is the flag value for web pages that follow the email setting.
const asInMail = "mail"

func (f lookFlags) arranged(was digest.Arrangement) digest.Arrangement {
	was.Grouping, was.WebImages = cmp.Or(f.Grouping, was.Grouping), cmp.Or(f.WebImages, was.WebImages)
	if f.WebLayout != nil {
		if was.WebLayout = *f.WebLayout; was.WebLayout == asInMail {
			was.WebLayout = ""
		}
	}
	if f.WebGrouping != nil {
		if was.WebGrouping = *f.WebGrouping; was.WebGrouping == asInMail {
			was.WebGrouping = ""
		}
	}
	if f.Headlines != "" {
		was.ReadHere = f.Headlines == digest.OpensText
	}
	return was
}

func (f lookFlags) apply(a *app, st *store.Store, d digest.Digest) error {
	if f.DeliverAt != nil {
		if err := st.Readers.SetDeliverAt(a.soft, d.ID, *f.DeliverAt); err != nil {
			return err
		}
	}
	if f.Days != 0 {
		if err := st.Readers.SetCadence(a.soft, d.ID, f.Days, a.now()); err != nil {
			return err
		}
	}
	if arranged := f.arranged(d.Arrangement); arranged != d.Arrangement {
		if err := st.Readers.SetArrangement(a.soft, d.ID, arranged); err != nil {
			return err
		}
	}
	if f.Layout == "" && f.Images == "" && f.Threaded == nil && f.Subject == "" && f.Budget == nil {
		return nil
	}
	d.Look.Layout, d.Look.Images = cmp.Or(f.Layout, d.Look.Layout), cmp.Or(f.Images, d.Look.Images)
	set(&d.Look.Threaded, f.Threaded)
	set(&d.Look.Budget, f.Budget)
	if f.Subject != "" {
		d.Look.DateSubject = f.Subject == digest.SubjectDate
	}
	return st.Readers.SetLook(a.soft, d.ID, d.Look)
}

type userSetCmd struct {
	readerArg
	userChanges
}

// userChanges are the changes to a reader. Missing flags change nothing.
type userChanges struct {
	TimeZone   string      `placeholder:"ZONE" help:"Move the reader to this city or time zone; no date gets a second edition."`
	State      string      `env:"-" type:"word" words:"active,paused,left" placeholder:"STATE" help:"active, paused (collect no posts), or left (stopped by the reader)."`
	Operator   *bool       `env:"-" placeholder:"true|false" help:"Whether the reader is an operator and can open the operator pages."`
	NewEmail   string      `env:"-" name:"email" placeholder:"ADDRESS" help:"Change the reader's address without confirmation, and sign out their browsers."`
	PauseUntil digest.Date `env:"-" example:"2026-12-01" placeholder:"DATE" help:"Pause until this date, such as 2026-12-01; one edition then has all posts since."`
	Mailed     *bool       `env:"-" negatable:"" help:"Send editions by email; --no-mailed keeps them on the web only."`
	Stay       string      `env:"-" placeholder:"\"ZONE FIRST..LAST\"" help:"Plan days in another zone, such as \"Asia/Tokyo 2026-10-03..2026-10-17\"; both days are included."`
	Language   string      `env:"-" placeholder:"TAG" help:"The reader's language, such as de; auto: the browser's language, and English in email."`
	NoStays    bool        `env:"-" help:"Remove all trips, and end one that has begun."`
	lookFlags
}

func (c *userSetCmd) check() error {
	if c.userChanges == (userChanges{}) {
		return wrongLine("nothing to set; see digest user set --help")
	}
	if c.State != "" && !c.PauseUntil.IsZero() {
		return wrongLine("--pause-until already pauses; remove --state")
	}
	if c.TimeZone != "" {
		var err error
		if c.TimeZone, err = places.Zone(c.TimeZone); err != nil {
			return err
		}
	}
	if err := checkLanguage(c.Language); err != nil {
		return err
	}
	if c.NewEmail != "" {
		if _, err := parseEmail(c.NewEmail); err != nil {
			return err
		}
	}
	if c.Stay != "" {
		if _, err := parseStay(c.Stay); err != nil {
			return err
		}
	}
	return nil
}

func (c userSetCmd) Run(a *app, st *store.Store, u digest.User, d digest.Digest) error {
	for _, change := range []struct {
		given bool
		do    func() error
	}{
		{c.NoStays, func() error { return a.removeStays(st, u.ID) }},
		{c.Mailed != nil, func() error { return st.Readers.SetMailed(a.soft, d.ID, *c.Mailed, a.now()) }},
		{c.TimeZone != "", func() error {
			u.TimeZone = c.TimeZone
			return st.Readers.SetTimeZone(a.soft, u.ID, c.TimeZone, a.now())
		}},
		{c.Stay != "", func() error { return a.addStay(st, u.ID, c.Stay) }},
		{!c.PauseUntil.IsZero(), func() error { return a.pauseUntil(st, u, d.ID, c.PauseUntil) }},
		{c.State == string(digest.DigestActive) && u.MemberOnly,
			func() error { return st.Sessions.BeginReading(a.soft, u.ID) }},
		{c.State != "", func() error {
			return st.Readers.SetDigestState(a.soft, d.ID, digest.DigestState(c.State),
				a.now())
		}},
		{true, func() error { return c.apply(a, st, d) }},
		{c.Language != "", func() error { return a.setLanguage(st, u.ID, c.Language) }},
		{c.Operator != nil, func() error { return st.Operator.SetOperator(a.soft, u.ID, *c.Operator) }},
		{c.NewEmail != "", func() (err error) {
			if u.Email, err = parseEmail(c.NewEmail); err != nil {
				return err
			}
			return st.Readers.SetEmail(a.soft, u.ID, u.Email)
		}},
	} {
		if change.given {
			if err := change.do(); err != nil {
				return err
			}
		}
	}
	info, err := a.userInfo(st, u.Email)
	if err != nil {
		return err
	}
	return a.say(reportUser(info), "%s: %s, %s, %s%s", info.Email, info.TimeZone, info.Digest.State,
		nextEdition(info.User, info.Digest, "next edition "), habits(info))
}

func (a *app) pauseUntil(st *store.Store, u digest.User, id digest.DigestID, date digest.Date) error {
	loc, err := calendar.Zone(u.TimeZone)
	if err != nil {
		return err
	}
	until := calendar.Begins(date, loc)
	if !until.After(a.now()) {
		return wrongLine(fmt.Sprintf("--pause-until=%q has already begun for %s; name a later date", date, u.Email))
	}
	return st.Readers.PauseDigest(a.soft, id, until, a.now())
}

// parseStay parses "ZONE FIRST..LAST", or "ZONE DAY" for one day.
func parseStay(s string) (stay digest.Stay, err error) {
	bad := badSetting("DIGEST_STAY", s, "is not a time zone with its days", "Asia/Tokyo 2026-10-03..2026-10-17")
	s = strings.TrimSpace(s)
	space := strings.LastIndexByte(s, ' ')
	if space < 0 {
		return stay, bad
	}
	first, last, several := strings.Cut(s[space+1:], "..")
	if !several {
		last = first
	}
	var wrongFirst, wrongLast error
	stay.From, wrongFirst = digest.ParseDate(first)
	stay.To, wrongLast = digest.ParseDate(last)
	if wrongFirst != nil || wrongLast != nil {
		return stay, bad
	}
	stay.TimeZone, err = places.Zone(s[:space])
	return stay, err
}

func (a *app) addStay(st *store.Store, user digest.UserID, text string) error {
	stay, err := parseStay(text)
	if err != nil {
		return err
	}
	stay.UserID = user
	_, err = st.Readers.AddStay(a.soft, stay, a.now())
	return err
}

func (a *app) removeStays(st *store.Store, user digest.UserID) error {
	stays, err := st.Readers.Stays(a.soft, user)
	if err != nil {
		return err
	}
	for _, stay := range stays {
		if err := st.Readers.RemoveStay(a.soft, user, stay.ID, a.now()); err != nil {
			return err
		}
	}
	return nil
}

type reportedStay struct {
	TimeZone string  `json:"time_zone"`
	From     string  `json:"from"`
	To       string  `json:"to"`
	Begun    bool    `json:"begun"`
	Home     *string `json:"home"` // of a trip that has begun: the zone to which the reader returns
}

func reportStay(s digest.Stay) reportedStay {
	r := reportedStay{TimeZone: s.TimeZone, From: s.From.String(), To: s.To.String(), Begun: s.Begun}
	if s.Begun {
		r.Home = new(s.Home)
	}
	return r
}
