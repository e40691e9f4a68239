package operator

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/diagnosis"
	"digest/store"
	"digest/timezone"
	"digest/web/page"
)

// An readerPage is the operator's view of a reader, for support.
type readerPage struct {
	*page.Visit
	store.ReaderView
	Advice   []diagnosis.Advice
	Troubled []diagnosis.Feed

	Standing page.OwnDigest // of the reader's own digest
	Date     page.DateField // end of a pause, as entered
	First    digest.Date
	Last     digest.Date
	Mails    bool // the reader can get a sign-in link by email
	Me       bool // the reader is the operator at the screen
}

func (s *site) readerPage(v *page.Visit) (err error) {
	ctx, now := v.Ctx, v.Now
	p := readerPage{Visit: v, Date: page.TypedDate(v.PostForm, "until")}
	if p.ReaderView, err = s.Store.Operator.ReaderView(ctx, digest.UserID(v.PathID), diagnosis.Shown); err != nil {
		return err
	}
	f := diagnosis.Facts{Now: now, Deadline: s.Spread.Deadline}
	fence, err := s.ReadFence(ctx)
	if err != nil {
		return err
	}
	f.Fence = fence.Reason
	if f.Beat, _, err = s.Store.Operator.Heartbeat(ctx); err != nil {
		return err
	}
	p.Advice, p.Troubled = diagnosis.Advise(p.ReaderView, f), diagnosis.TroubledFeeds(p.ReaderView, now)
	p.Me, p.Mails = p.User.ID == v.ID, s.Mails() && p.Suppressed == nil
	p.Standing = s.OwnDigest(p.own())
	p.First, p.Last = p.Standing.Today().Plus(1), p.Standing.Today().Plus(page.FarthestPause)
	return v.Show(nil, "operator/reader", p.User.Email, p)
}

// Place returns the address of the page for the action of a command in the advice, or "" if there
// is none.
func (p readerPage) Place(command string) string {
	for _, c := range []struct{ command, place string }{
		{"digest fence", "/operator#fence"}, {"digest suppressions remove ", "/operator#suppressed"},
		{"digest queue", "/operator#mail"},
		{"digest newsletter show ", "/operator/newsletters"}, {"digest user resend ", "#editions"},
	} {
		if strings.HasPrefix(command, c.command) {
			return c.place
		}
	}
	if p.Standing.Paused() && !p.Standing.Left() && strings.HasSuffix(command, " --state active") {
		return "#changes"
	}
	return ""
}

func (s *site) resend(v *page.Visit) error {
	view, err := s.Store.Operator.ReaderView(v.Ctx, digest.UserID(v.PathID), diagnosis.Shown)
	if err != nil {
		return err
	}
	// an invalid number counts as 0, which is no edition
	edition, _ := strconv.ParseInt(v.PostForm.Get("edition"), 10, 64)
	if !slices.ContainsFunc(view.Editions, func(e store.MailedEdition) bool {
		return e.ID == digest.EditionID(
			edition)
	}) {
		return page.ErrNotFound
	}
	err = s.Store.Editions.ResendEdition(v.Ctx, digest.EditionID(edition), v.Now)
	if digest.KindOf(err) == digest.Conflict {
		v.Wrong, v.Status = catalogue.Refusal(err), http.StatusConflict
		return s.readerPage(v)
	}
	if err == nil {
		s.Log.InfoContext(v.Ctx, "an operator resent an edition", "operator", int64(v.ID), "edition", edition)
	}
	return v.SeeSaved(err, readerPath(view.User.ID), "resent")
}

func (p readerPage) Path() string { return readerPath(p.User.ID) }

// own returns the reader's own digest, not one of a membership.
func (p readerPage) own() digest.Digest {
	for _, v := range p.Digests {
		if v.NewsletterID == 0 {
			return v.Digest
		}
	}
	return digest.Digest{}
}

func (p readerPage) NameOf(e store.MailedEdition) string {
	if i := slices.IndexFunc(p.Digests, func(v store.DigestView) bool { return v.ID == e.DigestID }); i >= 0 {
		return p.Digests[i].Name
	}
	return ""
}

func (p readerPage) Why(e store.MailedEdition) catalogue.Sayable {
	return unsentWords(e.Edition)
}

// unsentWords returns the error or reply of an edition's delivery; nil if there is none.
func unsentWords(e digest.Edition) catalogue.Sayable {
	if why := cmp.Or(e.Error, e.Reply); why != "" {
		return catalogue.Unsent(why)
	}
	return nil
}

func (p readerPage) State(e store.MailedEdition) catalogue.Sayable {
	words := map[digest.EditionState]catalogue.Sayable{
		digest.EditionReady: catalogue.Key("waiting"), digest.EditionLeased: catalogue.Key("sending"),
		digest.EditionDotting: catalogue.Key("sending"), digest.EditionUnmailed: catalogue.Key("web only"),
		digest.EditionUnconfirmed: catalogue.Key("sent, delivery not confirmed"),
		digest.EditionSent:        catalogue.Key("sent %s").With(p.When(e.SentAt)),
		digest.EditionFailed:      catalogue.Key("rejected"), digest.EditionExpired: catalogue.Key("expired"),
	}[e.State]
	if e.Resent > 0 {
		return catalogue.Key("%s (sent again)").With(words)
	}
	return words
}

// Over reports whether an edition can be resent, because its delivery has ended.
func (p readerPage) Over(e store.MailedEdition) bool {
	return !slices.Contains([]digest.EditionState{digest.EditionReady, digest.EditionLeased, digest.EditionDotting},
		e.State)
}

func (p readerPage) When(t time.Time) catalogue.Moment {
	loc, err := timezone.Load(p.User.TimeZone)
	if err != nil {
		loc = time.UTC
	}
	return catalogue.Time("2 Jan 2006, 15:04", t.In(loc))
}
