package web

import (
	"fmt"
	"net/http"
	"time"

	"digest"
)

// A settingsFrame is what all pages of settings have: who it is, and what
// became of the form that was sent. Saved is one of the words of that page.
type settingsFrame struct {
	reader
	standing
	Saved string
	Wrong string // why nothing was changed, for people
}

func (s *site) frame(r *http.Request, me reader, words ...string) settingsFrame {
	return settingsFrame{reader: me, standing: s.standing(me.Digest), Saved: savedOf(r, words...)}
}

// Hour is when the mail leaves: "mailed at 07:00", "mailed at midnight".
func (f settingsFrame) Hour() string {
	switch {
	case !f.Digest.Mailed:
		return "not mailed"
	case f.Digest.DeliverAt == 0:
		return "mailed at midnight"
	}
	return "mailed at " + clockOf(f.Digest.DeliverAt)
}

// Coming says when the next edition comes.
func (f settingsFrame) Coming() string {
	switch next := f.Next(); {
	case f.Left():
		return "No edition is made until you start it again."
	case next == "":
		return "No edition is made until you end the pause."
	case f.Paused():
		return "After the pause the next edition is that of " + next + "."
	case !f.Digest.NextDueAt.After(f.now):
		return "The edition of " + next + " is being made now."
	default:
		return "The next edition is that of " + next + "."
	}
}

// clockOf writes the hour of a mail: 07:00.
func clockOf(d time.Duration) string { return time.Time{}.Add(d).Format("15:04") }

// settingsPage is the table of contents: what there is to decide, and how it stands.
func (s *site) settingsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := settingsPage{settingsFrame: s.frame(r, me, "started"), Ask: s.Publishing == PublishingAsk}
	var err error
	if p.stays, err = s.Store.Stays(r.Context(), me.ID); err == nil {
		var all []digest.Member
		all, err = s.Store.Memberships(r.Context(), me.ID)
		p.Newsletters = len(all)
	}
	return s.showPage(w, r, err, "settings", "Settings", p)
}

// A settingsPage is the table of contents.
type settingsPage struct {
	settingsFrame
	Newsletters int  // that come to the reader, or came
	Ask         bool // they may begin a newsletter
	stays       []digest.Stay
}

// Away names the next stay: "Tokyo, 3 to 17 October".
func (p settingsPage) Away() string {
	switch n := len(p.stays); n {
	case 0:
		return "None planned"
	case 1:
		return p.view(p.stays[0]).String()
	default:
		return p.view(p.stays[0]).String() + ", and " + digest.Counted(n-1, "more stay")
	}
}

// MailWords says whether there is mail, and how it looks.
func (f settingsFrame) MailWords() string {
	if !f.Digest.Mailed {
		return "Off: editions are here only"
	}
	return f.LookWords()
}

// LookWords says how a mail looks: "Excerpts, no pictures".
func (f settingsFrame) LookWords() string {
	layouts := map[digest.Layout]string{digest.Headlines: "Headlines", digest.Excerpts: "Headlines and excerpts", digest.FullText: "Full text"}
	images := map[digest.Images]string{digest.NoImages: "no pictures", digest.LinkedImages: "links to pictures", digest.ProxiedImages: "pictures"}
	return fmt.Sprintf("%s, %s", layouts[f.Digest.Layout], images[f.Digest.Images])
}

// PageWords says how the pages are: "Left to right, single keys on, podcasts play here".
func (f settingsFrame) PageWords() string {
	direction, keys := "Left to right", "on"
	if f.Direction == digest.RightToLeft {
		direction = "Right to left"
	}
	if !f.Shortcuts {
		keys = "off"
	}
	words := direction + ", single keys " + keys
	if f.Player {
		words += ", podcasts play here"
	}
	return words
}

// startAgain is the way back for who has unsubscribed.
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
