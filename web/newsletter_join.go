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
	"digest/web/page"
)

// joinRoute accepts forms from other sites. It only sends a confirmation email, within the limits
// of all letter requests, and ignores cookies.
const joinRoute = "POST /n/{slug}/join"

// trapField is a hidden field. Only robots fill it in. They see the usual response, but no email is
// sent.
const trapField = "website"

// mostReturn is the maximum length in bytes of an address on another site to which a form
// redirects.
const mostReturn = 500

// requestJoin sends a confirmation email. The response does not reveal whether the address is
// already a member. A form on another site may omit the time zone. It may also name a redirect
// address, which must begin with one of the publisher's return addresses.
func (s *site) requestJoin(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	if !n.Open() || !s.Mails() {
		return page.ErrNotFound
	}
	switch full, err := s.isFull(r, n.Newsletter); {
	case err != nil:
		return err
	case full:
		return page.ErrNewsletterFull
	}
	back := returnAddress(n.Newsletter, r.PostForm.Get("return"))
	p := newsletterPage{NewsletterName: n, Newcomer: page.Newcomer{ZoneField: page.ZoneField{Zone: r.PostForm.Get(
		"zone")},
		Token: back}}
	zone, err := s.joinZone(r, &p)
	if err != nil {
		return err
	}
	if r.PostForm.Get(trapField) != "" {
		return s.asked(w, r, n, back)
	}
	q, status, err := s.requestLetter(r, s.asksToJoin(n.Newsletter))
	if p.LetterRequest = q; err != nil || q.Wrong != "" || p.WrongZone != "" {
		if q.Wrong == "" {
			status = http.StatusUnprocessableEntity
		}
		if err != nil {
			return err
		}
		return s.showNewsletter(w, r, status, p)
	}
	s.SendLetter(q, s.writeJoin(s.joinLanguage(r, n.Newsletter), n.Newsletter, store.JoinRequest{
		NewsletterID: n.ID, Email: q.To, TimeZone: zone, Form: formOf(r, n), ReturnURL: back,
		Latest: r.PostForm.Get("latest") == "1", RequestedAt: s.Now(),
	}))
	return s.asked(w, r, n, back)
}

// isFull reports whether a newsletter has reached its limit of members.
func (s *site) isFull(r *http.Request, n digest.Newsletter) (bool, error) {
	if n.MemberLimit == 0 {
		return false, nil
	}
	has, err := s.Store.Newsletters.CountMembers(r.Context(), n.ID)
	return has >= n.MemberLimit, err
}

// asked redirects to back, or shows that an email is on its way if back is "".
func (s *site) asked(w http.ResponseWriter, r *http.Request, n page.NewsletterName, back string) error {
	if back != "" {
		http.Redirect(w, r, back, http.StatusSeeOther)
		return nil
	}
	return page.SeeOther(w, r, n.Path()+"?asked=1")
}

// joinZone returns the time zone in the form, or the publisher's if the form has none.
func (s *site) joinZone(r *http.Request, p *newsletterPage) (string, error) {
	if strings.TrimSpace(p.Zone) == "" {
		archive, err := s.Store.Readers.Digest(r.Context(), p.ArchiveID)
		return archive.TimeZone, err
	}
	zone, _ := p.ReadZone()
	return zone, nil
}

// returnAddress returns the redirect address if the publisher allows it, and "" otherwise.
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

// formOf returns the page with the form, from the request headers, for the record of consent.
func formOf(r *http.Request, n page.NewsletterName) string {
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

// asksToJoin returns the limits of the client's network for this newsletter.
func (s *site) asksToJoin(n digest.Newsletter) func(*http.Request, string) letterAsker {
	return func(r *http.Request, email string) letterAsker {
		a := s.asksToSignUp(r, email)
		a.kind = allowance.ToJoin(int64(n.ID))
		a.rate = s.Limits.Joins
		return a
	}
}

// joinLanguage returns the browser's language, or the newsletter's. It ignores cookies, because the
// form may be on another site.
func (s *site) joinLanguage(r *http.Request, n digest.Newsletter) *catalogue.Language {
	if asked := r.Header.Get("Accept-Language"); asked != "" {
		return catalogue.Match(asked)
	}
	return catalogue.Of(n.Language)
}

// speakAs stores the browser's language for a new member without a digest, if no language is stored
// yet.
func (s *site) speakAs(r *http.Request, m digest.Member) error {
	u, err := s.Store.Readers.User(r.Context(), m.UserID)
	if err != nil || !u.MemberOnly || u.Language != "" || r.Header.Get("Accept-Language") == "" {
		return err
	}
	return s.Store.Readers.SetLanguage(r.Context(), u.ID, catalogue.Match(r.Header.Get("Accept-Language")).Code)
}

// writeJoin returns the email with the confirmation link, or a note that the address is already a
// member.
func (s *site) writeJoin(l *catalogue.Language, n digest.Newsletter, q store.JoinRequest) page.WriteLetter {
	return func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		m, err := s.Store.Members.Member(ctx, n.ID, q.Email)
		if err == nil && m.State != digest.DigestLeft {
			u, _ := s.Store.Readers.User(ctx, m.UserID) // zero if the query fails
			return m.Email, memberLetter(letterLanguage(u, l), s.BaseURL, n), nil
		}
		if err != nil && digest.KindOf(err) != digest.NotFound {
			return "", render.LetterContent{}, err
		}
		token, now := page.NewSecret(), s.Now()
		err = s.Store.Members.AddJoinRequest(ctx, page.HashSecret(token), q, now, now.Add(life))
		return q.Email, joinLetter(l, s.BaseURL, n, token), err
	}
}

// A joinPage is the view behind the confirmation link.
type joinPage struct {
	page.NewsletterName
	store.JoinRequest
	Token string
	Next  catalogue.Sayable // date of the first issue; nil before the confirmation
}

// confirmJoinPage changes nothing, because link scanners open every link in an email.
func (s *site) confirmJoinPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	p := joinPage{NewsletterName: n, Token: r.URL.Query().Get("token")}
	p.JoinRequest, err = s.Store.Members.JoinRequest(r.Context(), page.HashSecret(p.Token), s.Now())
	if err == nil && p.JoinRequest.NewsletterID != n.ID {
		err = page.ErrNotFound
	}
	return s.ShowPage(w, r, page.OrSpent(err, page.ErrSpentJoin), "newsletter_join",
		catalogue.Key("Subscribe to %s").With(n.Name), p)
}

// confirmJoin adds the address as a member.
func (s *site) confirmJoin(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	token, err := page.LinkToken(r.PostForm)
	if err != nil {
		return err
	}
	q, m, err := s.Store.Members.ConfirmJoin(r.Context(), page.HashSecret(token), s.ClientName(r), s.Now())
	if err != nil {
		if full, _ := s.isFull(r, n.Newsletter); full && digest.KindOf(err) == digest.Conflict {
			return page.ErrNewsletterFull // the request stays stored and can be confirmed later, until it expires
		}
		return page.OrSpent(err, page.ErrSpentJoin)
	}
	if err := s.speakAs(r, m); err != nil { // the person has joined all the same
		s.Log.WarnContext(r.Context(), "cannot read the language of a new member", "member", int64(m.UserID), "err",
			err)
	}
	d, err := s.Store.Readers.Digest(r.Context(), m.DigestID)
	p := joinPage{NewsletterName: n, JoinRequest: q,
		Next: catalogue.Time("Monday 2 January", d.NextDueAt.In(page.ZoneOr(m.TimeZone)))}
	return s.ShowPage(w, r, err, "newsletter_join", catalogue.Key("Welcome to %s").With(n.Name), p)
}

func joinLetter(l *catalogue.Language, base string, n digest.Newsletter, token string) render.LetterContent {
	name := digest.PlainName(n.Name)
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Confirm your subscription to %s").With(name).In(l),
		Text: page.Paragraphs(l,
			catalogue.Key("Someone, probably you, asked to subscribe to %s with this address.").With(name),
			catalogue.Key("Open the link and press the button to confirm. The link works once and expires after a day."),
		),
		Action: catalogue.Key("Confirm").In(l), URL: base + "/n/" + n.Slug + "/confirm?token=" + token,
		Aside: page.Paragraphs(l, catalogue.Key("If this wasn’t you, ignore this email. You won’t be subscribed.")),
	}
}

func memberLetter(l *catalogue.Language, base string, n digest.Newsletter) render.LetterContent {
	name := digest.PlainName(n.Name)
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("You already subscribe to %s").With(name).In(l),
		Text: page.Paragraphs(l, catalogue.Key(
			"Someone, probably you, asked to subscribe to %s with this address. You’re already subscribed, so nothing changed.").
			With(name)),
		Action: catalogue.Key("All issues").In(l), URL: base + "/n/" + n.Slug,
		Aside: page.Paragraphs(l, catalogue.Key(
			"If issues don’t arrive, check your spam folder. To unsubscribe, use the link in any issue.")),
	}
}
