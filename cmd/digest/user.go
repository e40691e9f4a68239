package main

import (
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/store"
	"digest/web"
)

type userCmd struct {
	Add    userAddCmd    `cmd:"" help:"Add a confirmed reader with one daily digest."`
	List   userListCmd   `cmd:"" help:"List the readers."`
	Show   userShowCmd   `cmd:"" help:"Show a reader's state, recent editions, and what to do about a missing one."`
	Resend userResendCmd `cmd:"" help:"Send an edition again, marked in its subject."`
	Set    userSetCmd    `cmd:"" help:"Change a reader's time zone, or pause and resume their digest."`
	Remove userRemoveCmd `cmd:"" help:"Remove a reader and all their data."`
	SignIn userSignInCmd `cmd:"" help:"Print a sign-in link that works once."`
}

type emailArg struct {
	Email string `arg:""`
}

func (e *emailArg) check() (err error) {
	e.Email, err = parseEmail(e.Email)
	return err
}

// parseEmail parses a bare address and normalises it.
func parseEmail(s string) (string, error) {
	address, err := mailer.Recipient(s)
	if err != nil {
		return "", digest.Errorf(digest.Invalid, "%v; an example: reader@example.org", err)
	}
	return digest.NormalEmail(address), nil
}

type reportedUser struct {
	Email         string             `json:"email"`
	TimeZone      string             `json:"time_zone"`
	State         digest.DigestState `json:"state"`
	NextDueAt     *time.Time         `json:"next_due_at"`
	Subscriptions int                `json:"subscriptions"`
	Editions      int                `json:"editions"`
	DeliverAt     string             `json:"deliver_at"` // in the reader's time zone
	Days          string             `json:"days"`
	Layout        digest.Layout      `json:"layout"`
	Images        digest.Images      `json:"images"`
	Threaded      bool               `json:"threaded"`
	Subject       string             `json:"subject"`
	Budget        int                `json:"reading_time"` // in minutes; 0: no limit
	PausedUntil   *time.Time         `json:"paused_until"`
	Suppressed    *digest.Reason     `json:"suppressed"` // why the address gets no emails
	Operator      bool               `json:"operator"`
	Mailed        bool               `json:"mailed"`
	// language of pages and emails; empty: the browser's on pages, English in emails
	Language    string           `json:"language"`
	Grouping    digest.Grouping  `json:"grouping"`
	WebLayout   *digest.Layout   `json:"web_layout"`   // null: as in emails
	WebGrouping *digest.Grouping `json:"web_grouping"` // null: as in emails
	WebImages   digest.Images    `json:"web_images"`
	Headlines   string           `json:"headlines"`

	Stays []reportedStay `json:"stays"`
}

func reportUser(u store.UserInfo) reportedUser {
	d := u.Digest
	r := reportedUser{
		Email: u.Email, TimeZone: u.TimeZone, Language: u.Language, State: d.State,
		Subscriptions: u.Subscriptions, Editions: d.Editions,
		DeliverAt: digest.Clock(d.DeliverAt), Days: d.Cadence.String(),
		Layout: d.Layout, Images: d.Images, Threaded: d.Threaded, Subject: d.Subject(),
		Budget:      d.Budget,
		PausedUntil: instant(d.PausedUntil), Operator: u.Operator,
		Mailed: d.Mailed, Stays: each(u.Stays, reportStay), Grouping: d.Grouping,
		WebImages: d.WebImages, Headlines: d.Arrangement.Headlines(),
	}
	if d.WebLayout != "" {
		r.WebLayout = new(d.WebLayout)
	}
	if d.WebGrouping != "" {
		r.WebGrouping = new(d.WebGrouping)
	}
	if d.State == digest.DigestActive {
		r.NextDueAt = instant(d.NextDueAt)
	}
	if u.Suppressed != nil {
		r.Suppressed = new(u.Suppressed.Reason)
	}
	return r
}

func languageName(tag string) string {
	if l, ok := catalogue.Find(tag); ok {
		return l.Name + " (" + tag + ")"
	}
	return tag
}

func checkLanguage(tag string) error {
	if _, ok := catalogue.Find(tag); ok || tag == "" || tag == "auto" {
		return nil
	}
	var tags []string
	for _, l := range catalogue.All() {
		tags = append(tags, l.Code)
	}
	return wrongLine(fmt.Sprintf("--language=%q is not a known language; use %s, or auto", tag,
		strings.Join(tags, ", ")))
}

// setLanguage stores the language of a reader; auto selects the browser's.
func (a *app) setLanguage(st *store.Store, user digest.UserID, tag string) error {
	if tag == "auto" {
		tag = ""
	}
	return st.Readers.SetLanguage(a.soft, user, tag)
}

// habits lists a reader's settings that are not the defaults.
func habits(u store.UserInfo) string {
	var words strings.Builder
	add := func(is bool, format string, args ...any) {
		if is {
			fmt.Fprintf(&words, ", "+format, args...)
		}
	}
	d := u.Digest
	add(u.Language != "", "in %s", languageName(u.Language))
	add(d.Cadence != digest.Daily && !d.Cadence.IsMonthly(), "on %s", d.Cadence)
	add(d.Cadence.IsMonthly(), "%s", d.Cadence)
	add(d.DeliverAt != 0, "sent at %s", digest.Clock(d.DeliverAt))
	add(d.Layout == digest.Headlines, "headlines")
	add(d.Layout == digest.FullText, "full text, pictures %s", d.Images)
	add(d.Threaded, "threaded")
	add(d.DateSubject, "the date as subject")
	add(d.Budget > 0, "%d minutes of reading", d.Budget)
	add(d.Grouping == digest.BySites, "without folders")
	add(d.WebLayout != "", "on the web %s", d.WebLayout)
	add(d.WebGrouping != "", "on the web by %s", d.WebGrouping)
	add(d.WebImages == digest.NoImages, "on the web without pictures")
	add(d.ReadHere, "headlines open texts on this instance")
	add(u.Operator, "operator")
	add(!d.Mailed, "web only")
	for _, s := range u.Stays {
		add(s.Begun, "there until %s, then %s", s.To, s.Home)
		add(!s.Begun, "in %s from %s to %s", s.TimeZone, s.From, s.To)
	}
	if u.Suppressed != nil {
		add(true, "no email: the address is suppressed (%s)", u.Suppressed.Reason)
	}
	return words.String()
}

type userListCmd struct{ reads }

func (userListCmd) Run(a *app, st *store.Store) error {
	if a.json {
		return printArray(a, reported(st.Readers.Users(a.soft), reportUser))
	}
	return printPages(a, st.Readers.Users(a.soft), "", func(u store.UserInfo) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s%s", u.Email, u.TimeZone, u.Digest.State,
			digest.Counted(u.Subscriptions, "feed"), digest.Counted(u.Digest.Editions, "edition"),
			nextEdition(u.User, u.Digest, "next "), habits(u))
	})
}

// nextEdition returns the time of the next edition as text, or of the end of a pause.
func nextEdition(u digest.User, d digest.Digest, before string) string {
	if d.State == digest.DigestPaused && !d.PausedUntil.IsZero() {
		return "back on " + inZone(d.PausedUntil, u.TimeZone)
	}
	if d.State != digest.DigestActive {
		return "no next edition"
	}
	return before + inZone(d.NextDueAt, u.TimeZone)
}

func (a *app) userInfo(st *store.Store, email string) (info store.UserInfo, err error) {
	if info.User, info.Digest, err = a.reader(st, email); err != nil {
		return info, err
	}
	subscriptions, err := st.Subscriptions.Subscriptions(a.soft, info.Digest.ID)
	if err != nil {
		return info, err
	}
	info.Subscriptions = len(subscriptions)
	if info.Stays, err = st.Readers.Stays(a.soft, info.User.ID); err != nil {
		return info, err
	}
	s, suppressed, err := st.Editions.Suppressed(a.soft, info.User.Email)
	if suppressed {
		info.Suppressed = &s
	}
	return info, err
}

type userRemoveCmd struct{ readerArg }

func (userRemoveCmd) Run(a *app, st *store.Store, u digest.User, _ digest.Digest) error {
	if err := st.Readers.RemoveUser(a.soft, u.ID, a.now()); err != nil {
		return err
	}
	return a.say(map[string]any{"email": u.Email, "removed": true}, "removed %s and all their data", u.Email)
}

type userSignInCmd struct{ readerArg }

func (userSignInCmd) Run(a *app, st *store.Store, u digest.User, _ digest.Digest) error {
	link, err := web.SignInLink(a.soft, st, a.BaseURL, u.ID, a.now())
	if err != nil {
		return err
	}
	return a.say(map[string]string{"url": link}, "%s", link)
}
