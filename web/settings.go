package web

import (
	"time"

	"digest"
	"digest/internal/catalogue"
)

// Schedule returns the days of editions and the hour of emails: "every day at 07:00".
func (v *visit) Schedule() catalogue.Message {
	if !v.Digest.Mailed {
		return v.Days().Words()
	}
	return catalogue.Key("%s at %s").With(v.Days().Words(),
		catalogue.Time("15:04", time.Time{}.Add(v.Digest.DeliverAt)))
}

// LanguageName returns the name of the language of pages and emails.
func (v *visit) LanguageName() string { return v.language().Name }

// Coming returns when the next edition appears.
func (v *visit) Coming() catalogue.Message {
	switch next := v.Next(); {
	case v.Left():
		return catalogue.Key("You’re unsubscribed and get no editions.").With()
	case next == nil:
		return catalogue.Key("No new editions until you resume it.").With()
	case !v.Digest.NextDueAt.After(v.now):
		return catalogue.Key("We’re making the edition of %s now.").With(next)
	default:
		return catalogue.Key("Your next edition is on %s.").With(next)
	}
}

// clockOf formats a time of day: 07:00.
func clockOf(d time.Duration) string { return time.Time{}.Add(d).Format("15:04") }

type settingsPage struct {
	*visit
	Newsletters int    // memberships, also former ones
	Ask         bool   // the reader may create a newsletter
	Offline     bool   // devices can store editions
	Unsubscribe string // path of the page that unsubscribes the digest
	stays       []digest.Stay
}

// settingsPage shows an overview of all settings with their values.
func (s *site) settingsPage(v *visit) error {
	v.lookFields()
	p := settingsPage{visit: v, Ask: s.Publishing == PublishingAsk, Offline: s.Offline,
		Unsubscribe: s.unsubscribePath(v.Digest)}
	var err error
	if p.stays, err = s.Store.Readers.Stays(v.ctx, v.ID); err != nil {
		return err
	}
	all, err := s.Store.Members.Memberships(v.ctx, v.ID)
	p.Newsletters = len(all)
	return v.show(err, "settings", catalogue.Key("Settings"), p)
}

// Travel describes the next trip: "Tokyo, 3 to 17 October".
func (p settingsPage) Travel() catalogue.Message {
	switch n := len(p.stays); n {
	case 0:
		return catalogue.Key("No trips planned").With()
	case 1:
		return p.view(p.stays[0]).Words()
	default:
		return catalogue.Key("%[2]s, and %[1]d more trips").With(n-1, p.view(p.stays[0]).Words())
	}
}

// startAgain restarts the editions of a reader who has unsubscribed. If sign-up is open, it also starts editions
// for a person who only gets newsletters.
func (s *site) startAgain(v *visit) (err error) {
	if v.MemberOnly && s.SignUp != SignUpOpen {
		return errMembersOnly
	}
	if v.MemberOnly {
		err = s.Store.Sessions.BeginReading(v.ctx, v.ID)
	}
	if err == nil && v.Left() {
		err = s.Store.Readers.SetDigestState(v.ctx, v.Digest.ID, digest.DigestActive, v.now)
	}
	return v.saved(err, "/settings", "started")
}
