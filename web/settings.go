package web

import (
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// A settingsFrame has the data that all settings pages share. Saved is one of the page's words for a change.
type settingsFrame struct {
	reader
	standing
	lang  *catalogue.Language
	Saved string
	Wrong any // why nothing was changed, for display; nil: no error
}

func (s *site) frame(r *http.Request, me reader, words ...string) settingsFrame {
	return settingsFrame{reader: me, standing: s.standing(me.Digest), lang: s.language(r), Saved: savedOf(r, words...)}
}

// Schedule returns the days of editions and the hour of emails: "every day at 07:00".
func (f settingsFrame) Schedule() catalogue.Message {
	if !f.Digest.Mailed {
		return f.Days().Words()
	}
	return catalogue.Key("%s at %s").With(f.Days().Words(),
		catalogue.Time("15:04", time.Time{}.Add(f.Digest.DeliverAt)))
}

// LanguageName returns the name of the language of pages and emails.
func (f settingsFrame) LanguageName() string { return f.lang.Name }

// Coming returns when the next edition appears.
func (f settingsFrame) Coming() catalogue.Message {
	switch next := f.Next(); {
	case f.Left():
		return catalogue.Key("You’re unsubscribed and get no editions.").With()
	case next == nil:
		return catalogue.Key("No new editions until you resume it.").With()
	case !f.Digest.NextDueAt.After(f.now):
		return catalogue.Key("We’re making the edition of %s now.").With(next)
	default:
		return catalogue.Key("Your next edition is on %s.").With(next)
	}
}

// clockOf formats a time of day: 07:00.
func clockOf(d time.Duration) string { return time.Time{}.Add(d).Format("15:04") }

// settingsPage shows an overview of all settings with their values.
func (s *site) settingsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := settingsPage{settingsFrame: s.frame(r, me, "started"), Ask: s.Publishing == PublishingAsk, Offline: s.Offline}
	var err error
	if p.stays, err = s.Store.Stays(r.Context(), me.ID); err == nil {
		var all []digest.Member
		all, err = s.Store.Memberships(r.Context(), me.ID)
		p.Newsletters = len(all)
	}
	return s.showPage(w, r, err, "settings", catalogue.Key("Settings"), p)
}

type settingsPage struct {
	settingsFrame
	Newsletters int  // memberships, also former ones
	Ask         bool // the reader may create a newsletter
	Offline     bool // devices can store editions
	stays       []digest.Stay
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
func (s *site) startAgain(w http.ResponseWriter, r *http.Request, me reader) error {
	if me.MemberOnly && s.SignUp != SignUpOpen {
		return errMembersOnly
	}
	if me.MemberOnly {
		if err := s.Store.BeginReading(r.Context(), me.ID); err != nil {
			return err
		}
	}
	if me.Digest.State == digest.DigestLeft {
		if err := s.Store.SetDigestState(r.Context(), me.Digest.ID, digest.DigestActive, s.Now()); err != nil {
			return err
		}
	}
	return showSaved(w, r, nil, "/settings", "started")
}
