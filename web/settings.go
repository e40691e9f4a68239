package web

import (
	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

type settingsPage struct {
	*page.Visit
	Newsletters int    // memberships, also former ones
	Ask         bool   // the reader may create a newsletter
	Offline     bool   // devices can store editions
	Unsubscribe string // path of the page that unsubscribes the digest
	stays       []digest.Stay
}

// settingsPage shows an overview of all settings with their values.
func (s *site) settingsPage(v *page.Visit) error {
	lookFields(v)
	p := settingsPage{Visit: v, Ask: s.Publishing == page.PublishingAsk, Offline: s.Offline,
		Unsubscribe: s.UnsubscribePath(v.Digest)}
	var err error
	if p.stays, err = s.Store.Readers.Stays(v.Ctx, v.ID); err != nil {
		return err
	}
	all, err := s.Store.Members.Memberships(v.Ctx, v.ID)
	p.Newsletters = len(all)
	return v.Show(err, "settings", catalogue.Key("Settings"), p)
}

// Travel describes the next trip: "Tokyo, 3 to 17 October".
func (p settingsPage) Travel() catalogue.Message {
	switch n := len(p.stays); n {
	case 0:
		return catalogue.Key("No trips planned").With()
	case 1:
		return stayOf(p.Visit, p.stays[0]).Words()
	default:
		return catalogue.Key("%[2]s, and %[1]d more trips").With(n-1, stayOf(p.Visit, p.stays[0]).Words())
	}
}

// startAgain restarts the editions of a reader who has unsubscribed. If sign-up is open, it also starts editions
// for a person who only gets newsletters.
func (s *site) startAgain(v *page.Visit) (err error) {
	if v.MemberOnly && s.SignUp != page.SignUpOpen {
		return page.ErrMembersOnly
	}
	if v.MemberOnly {
		err = s.Store.Sessions.BeginReading(v.Ctx, v.ID)
	}
	if err == nil && v.Left() {
		err = s.Store.Readers.SetDigestState(v.Ctx, v.Digest.ID, digest.DigestActive, v.Now)
	}
	return v.SeeSaved(err, "/settings", "started")
}
