package web

import (
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// A settingsFrame is what all pages of settings have: who it is, and what
// became of the form that was sent. Saved is one of the words of that page.
type settingsFrame struct {
	reader
	standing
	lang  *catalogue.Language
	Saved string
	Wrong any // why nothing was changed, for people; nil: it was
}

func (s *site) frame(r *http.Request, me reader, words ...string) settingsFrame {
	return settingsFrame{reader: me, standing: s.standing(me.Digest), lang: s.language(r), Saved: savedOf(r, words...)}
}

// Hour is when the mail leaves: "mailed at 07:00", "mailed at midnight".
func (f settingsFrame) Hour() catalogue.Message {
	switch {
	case !f.Digest.Mailed:
		return catalogue.Key("not mailed").With()
	case f.Digest.DeliverAt == 0:
		return catalogue.Key("mailed at midnight").With()
	}
	return catalogue.Key("mailed at %s").With(catalogue.Time("15:04", time.Time{}.Add(f.Digest.DeliverAt)))
}

// Comes says on which days the edition comes, and how: "Comes every day, mailed at 07:00".
func (f settingsFrame) Comes() catalogue.Message {
	return catalogue.Key("Comes %s, %s").With(f.Days().Words(), f.Hour())
}

// LanguageName names the language in which the reader is spoken to.
func (f settingsFrame) LanguageName() string { return f.lang.Name }

// Coming says when the next edition comes.
func (f settingsFrame) Coming() catalogue.Message {
	switch next := f.Next(); {
	case f.Left():
		return catalogue.Key("No edition is made until you start it again.").With()
	case next == nil:
		return catalogue.Key("No edition is made until you end the pause.").With()
	case f.Paused():
		return catalogue.Key("After the pause the next edition is that of %s.").With(next)
	case !f.Digest.NextDueAt.After(f.now):
		return catalogue.Key("The edition of %s is being made now.").With(next)
	default:
		return catalogue.Key("The next edition is that of %s.").With(next)
	}
}

// clockOf writes the hour of a mail: 07:00.
func clockOf(d time.Duration) string { return time.Time{}.Add(d).Format("15:04") }

// settingsPage is the table of contents: what there is to decide, and how it stands.
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

// A settingsPage is the table of contents.
type settingsPage struct {
	settingsFrame
	Newsletters int  // that come to the reader, or came
	Ask         bool // they may begin a newsletter
	Offline     bool // editions can be kept on devices
	stays       []digest.Stay
}

// Away names the next stay: "Tokyo, 3 to 17 October".
func (p settingsPage) Away() catalogue.Message {
	switch n := len(p.stays); n {
	case 0:
		return catalogue.Key("None planned").With()
	case 1:
		return p.view(p.stays[0]).Words()
	default:
		return catalogue.Key("%[2]s, and %[1]d more stays").With(n-1, p.view(p.stays[0]).Words())
	}
}

// MailWords says whether there is mail, and how it looks.
func (f settingsFrame) MailWords() catalogue.Sayable {
	if !f.Digest.Mailed {
		return catalogue.Key("Off: editions are here only")
	}
	return f.LookWords()
}

// LookWords says how a mail looks: "Excerpts, no pictures".
func (f settingsFrame) LookWords() catalogue.Message {
	layouts := map[digest.Layout]catalogue.Key{
		digest.Headlines: catalogue.Key("Headlines"), digest.Excerpts: catalogue.Key("Headlines and excerpts"), digest.FullText: catalogue.Key("Full text"),
	}
	images := map[digest.Images]catalogue.Key{
		digest.NoImages: catalogue.Key("no pictures"), digest.LinkedImages: catalogue.Key("links to pictures"), digest.ProxiedImages: catalogue.Key("pictures"),
	}
	words := catalogue.Key("%s, %s").With(layouts[f.Digest.Layout], images[f.Digest.Images])
	if f.Digest.Grouping == digest.BySites {
		words = catalogue.Key("%s, %s").With(words, catalogue.Key("without folders"))
	}
	return words
}

// PageWords says how the pages are: "As the language runs, single keys on, podcasts play here".
func (f settingsFrame) PageWords() catalogue.Sayable {
	direction, keys := catalogue.Key("As the language runs"), catalogue.Key("single keys on")
	if f.Direction == digest.RightToLeft {
		direction = catalogue.Key("Right to left")
	}
	if !f.Shortcuts {
		keys = catalogue.Key("single keys off")
	}
	words := catalogue.Key("%s, %s").With(direction, keys)
	player := map[bool]catalogue.Key{true: catalogue.Key("podcasts play here")}
	themes := map[digest.Theme]catalogue.Key{digest.LightTheme: catalogue.Key("light colours"), digest.DarkTheme: catalogue.Key("dark colours")}
	sizes := map[digest.TypeSize]catalogue.Key{
		digest.Smaller: catalogue.Key("smaller letters"), digest.Larger: catalogue.Key("larger letters"), digest.Largest: catalogue.Key("largest letters"),
	}
	for _, more := range []catalogue.Key{player[f.Player], themes[f.Theme], sizes[f.TypeSize]} {
		if more != "" {
			words = catalogue.Key("%s, %s").With(words, more)
		}
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
