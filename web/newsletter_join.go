package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// joinRoute takes the forms of other sites: what it does is to have a letter mailed, at the pace of
// all letters that anybody can ask for, and it heeds no cookie.
const joinRoute = "POST /n/{slug}/join"

// trapField is a field that people do not see: who fills it in is a robot, which is told what
// everybody is told, and nothing is mailed.
const trapField = "website"

// mostReturn bounds an address that the form of another site leads back to, in bytes.
const mostReturn = 500

// requestJoin has a letter mailed that confirms an address. What is answered is the same whoever
// is a member already. A form of another site may leave the zone out, and may name an
// address to lead back to, which has to begin with one that the publisher allows.
func (s *site) requestJoin(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	if !n.Open() || !s.mails() {
		return errNotFound
	}
	switch full, err := s.isFull(r, n.Newsletter); {
	case err != nil:
		return err
	case full:
		return errNewsletterFull
	}
	back := returnAddress(n.Newsletter, r.PostForm.Get("return"))
	p := newsletterPage{newsletterName: n, newcomer: newcomer{zoneField: zoneField{Zone: r.PostForm.Get("zone")},
		Token: back}}
	zone, err := s.joinZone(r, &p)
	if err != nil {
		return err
	}
	if r.PostForm.Get(trapField) != "" {
		return s.asked(w, r, n, back)
	}
	q, status, err := s.requestLetter(r, s.asksToJoin(n.Newsletter))
	if p.letterRequest = q; err != nil || q.Wrong != "" || p.WrongZone != "" {
		if q.Wrong == "" {
			status = http.StatusUnprocessableEntity
		}
		return orShow(err, func() error { return s.showNewsletter(w, r, status, p) })
	}
	s.sendLetter(q, s.writeJoin(s.joinLanguage(r, n.Newsletter), n.Newsletter, store.JoinRequest{
		NewsletterID: n.ID, Email: q.to, TimeZone: zone, Form: formOf(r, n), ReturnURL: back,
		Latest: r.PostForm.Get("latest") == "1", RequestedAt: s.Now(),
	}))
	return s.asked(w, r, n, back)
}

// isFull reports whether a newsletter has as many members as it may.
func (s *site) isFull(r *http.Request, n digest.Newsletter) (bool, error) {
	if n.MemberLimit == 0 {
		return false, nil
	}
	has, err := s.Store.CountMembers(r.Context(), n.ID)
	return has >= n.MemberLimit, err
}

// asked leads back to where the form stood, or says here that a letter is on its way.
func (s *site) asked(w http.ResponseWriter, r *http.Request, n newsletterName, back string) error {
	if back != "" {
		http.Redirect(w, r, back, http.StatusSeeOther)
		return nil
	}
	return seeOther(w, r, n.Path()+"?asked=1")
}

// joinZone gives the zone that a form names; where it names none, the publisher's.
func (s *site) joinZone(r *http.Request, p *newsletterPage) (string, error) {
	if strings.TrimSpace(p.Zone) == "" {
		archive, err := s.Store.Digest(r.Context(), p.ArchiveID)
		return archive.TimeZone, err
	}
	zone, _ := p.readZone()
	return zone, nil
}

// returnAddress gives an address to lead back to, if a publisher allows it.
func returnAddress(n digest.Newsletter, typed string) string {
	u, err := url.Parse(typed)
	if err != nil || len(typed) > mostReturn || u.User != nil {
		return ""
	}
	for _, allowed := range n.ReturnAddresses() {
		if strings.HasPrefix(u.String(), allowed) {
			return u.String()
		}
	}
	return ""
}

// formOf is the page on which somebody asked to join, as their browser says: the
// proof of consent names it.
func formOf(r *http.Request, n newsletterName) string {
	from := r.Header.Get("Origin")
	if from == "" || from == "null" {
		from = r.Header.Get("Referer")
	}
	u, err := url.Parse(from)
	if err != nil || u.Host == "" || n.BaseURL == u.Scheme+"://"+u.Host {
		return n.Home()
	}
	return "a form at " + digest.HostShown(from)
}

// asksToJoin is a network that asks for a letter of a newsletter.
func (s *site) asksToJoin(n digest.Newsletter) func(*http.Request, string) letterAsker {
	return func(r *http.Request, email string) letterAsker {
		a := s.asksToSignUp(r, email)
		a.kind = allowance.ToJoin(int64(n.ID))
		a.rate = s.limits.joins
		return a
	}
}

// joinLanguage is that of a letter about joining: what the browser asks for, else that of who publishes the
// newsletter. No cookie is heeded, as the form may be another site's.
func (s *site) joinLanguage(r *http.Request, n digest.Newsletter) *catalogue.Language {
	if asked := r.Header.Get("Accept-Language"); asked != "" {
		return catalogue.Match(asked)
	}
	return catalogue.Of(n.Language)
}

// speakAs remembers for who has come for newsletters alone the language of the browser in which they confirmed
// it, unless one is known.
func (s *site) speakAs(r *http.Request, m digest.Member) error {
	u, err := s.Store.User(r.Context(), m.UserID)
	if err != nil || !u.MemberOnly || u.Language != "" || r.Header.Get("Accept-Language") == "" {
		return err
	}
	return s.Store.SetLanguage(r.Context(), u.ID, catalogue.Match(r.Header.Get("Accept-Language")).Code)
}

// writeJoin writes a link that confirms the address, or says that it is a member's already.
func (s *site) writeJoin(l *catalogue.Language, n digest.Newsletter, q store.JoinRequest) writeLetter {
	return func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		m, err := s.Store.Member(ctx, n.ID, q.Email)
		if err == nil && m.State != digest.DigestLeft {
			u, _ := s.Store.User(ctx, m.UserID) // nobody where the database does not answer
			return m.Email, memberLetter(letterLanguage(u, l), s.BaseURL, n), nil
		}
		if err != nil && digest.KindOf(err) != digest.NotFound {
			return "", render.LetterContent{}, err
		}
		token, now := newSecret(), s.Now()
		err = s.Store.AddJoinRequest(ctx, hashSecret(token), q, now, now.Add(life))
		return q.Email, joinLetter(l, s.BaseURL, n, token), err
	}
}

// A joinPage shows the button behind the link of a letter, or what it has done.
type joinPage struct {
	newsletterName
	store.JoinRequest
	Token string
	Next  catalogue.Sayable // when the first letter comes; nil before the button was pressed
}

// confirmJoinPage changes nothing: link scanners open every link in a mail.
func (s *site) confirmJoinPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	p := joinPage{newsletterName: n, Token: r.URL.Query().Get("token")}
	p.JoinRequest, err = s.Store.JoinRequest(r.Context(), hashSecret(p.Token), s.Now())
	if err == nil && p.JoinRequest.NewsletterID != n.ID {
		err = errNotFound
	}
	return s.showPage(w, r, orSpent(err, errSpentJoin), "newsletter_join",
		catalogue.Key("Subscribe to %s").With(n.Name), p)
}

// confirmJoin makes the address a member.
func (s *site) confirmJoin(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	token, err := linkToken(r.PostForm)
	if err != nil {
		return err
	}
	q, m, err := s.Store.ConfirmJoin(r.Context(), hashSecret(token), s.clientName(r), s.Now())
	if err != nil {
		if full, _ := s.isFull(r, n.Newsletter); full && digest.KindOf(err) == digest.Conflict {
			return errNewsletterFull // the wish is stored on, and may be confirmed while it is not too old
		}
		return orSpent(err, errSpentJoin)
	}
	if err := s.speakAs(r, m); err != nil { // they have joined all the same
		s.Log.WarnContext(r.Context(), "cannot read the language of a new member", "member", int64(m.UserID), "err",
			err)
	}
	d, err := s.Store.Digest(r.Context(), m.DigestID)
	p := joinPage{newsletterName: n, JoinRequest: q,
		Next: catalogue.Time("Monday 2 January", d.NextDueAt.In(zoneOr(m.TimeZone)))}
	return s.showPage(w, r, err, "newsletter_join", catalogue.Key("Welcome to %s").With(n.Name), p)
}

func joinLetter(l *catalogue.Language, base string, n digest.Newsletter, token string) render.LetterContent {
	name := digest.PlainName(n.Name)
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Confirm your subscription to %s").With(name).In(l),
		Text: paragraphs(l,
			catalogue.Key("Someone, probably you, asked to subscribe to %s with this address.").With(name),
			catalogue.Key("Open the link and press the button to confirm. The link works once, within a day."),
		),
		Action: catalogue.Key("Confirm").In(l), URL: base + "/n/" + n.Slug + "/confirm?token=" + token,
		Aside: paragraphs(l, catalogue.Key("If this wasn’t you, ignore this email. You won’t be subscribed.")),
	}
}

func memberLetter(l *catalogue.Language, base string, n digest.Newsletter) render.LetterContent {
	name := digest.PlainName(n.Name)
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("You already subscribe to %s").With(name).In(l),
		Text: paragraphs(l, catalogue.Key(
			"Someone, probably you, asked to subscribe to %s with this address. You already do, so nothing changed.").With(name)),
		Action: catalogue.Key("All issues").In(l), URL: base + "/n/" + n.Slug,
		Aside: paragraphs(l, catalogue.Key(
			"If issues don’t arrive, check your spam folder. To unsubscribe, use the link in any issue.")),
	}
}
