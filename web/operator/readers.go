package operator

import (
	"net/http"
	"net/url"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
	"digest/web/publisher"
)

const readersShown = 50

type readersPage struct {
	*page.Visit
	Part    string // search in email addresses
	States  []page.Choice
	Readers []listedReader
	Later   string // path of the next page; "" on the last page
	Begun   bool   // there is a previous page
}

type listedReader struct {
	Path  string // "" for an unconfirmed address
	Email string
	Words catalogue.Sayable
}

const (
	whoMembers     = "members"
	whoUnconfirmed = "unconfirmed"
)

func readerStates() []page.Choice {
	return []page.Choice{
		{Name: catalogue.Key("Everyone")}, {Value: string(digest.DigestActive), Name: catalogue.Key("Active")},
		{Value: string(digest.DigestPaused), Name: catalogue.Key("Paused")},
		{Value: string(digest.DigestLeft), Name: catalogue.Key("Unsubscribed")},
		{Value: whoMembers, Name: catalogue.Key("Newsletters only")},
		{Value: whoUnconfirmed, Name: catalogue.Key("Unconfirmed")},
	}
}

func (s *site) readersPage(v *page.Visit) error {
	given := v.URL.Query()
	p := readersPage{Visit: v, Part: page.FirstRunes(digest.OneLine(given.Get("q")), publisher.MostPart),
		States: page.Chosen(readerStates(), given.Get("state"))}
	who := ""
	for _, c := range p.States {
		if c.Chosen {
			who = c.Value
		}
	}
	list := s.listReaders
	if who == whoUnconfirmed {
		list = s.listUnconfirmed
	}
	last, err := list(v.Request, who, &p)
	if len(p.Readers) > readersShown {
		p.Readers = p.Readers[:readersShown]
		p.Later = "/operator/readers?" + url.Values{"q": {p.Part}, "state": {who}, "after": {last}}.Encode()
	}
	return v.Show(err, "operator/readers", catalogue.Key("Readers"), p)
}

// listReaders adds readers to the page, one more than it shows if there are more. last is the key
// of the last shown reader.
func (s *site) listReaders(r *http.Request, who string, p *readersPage) (last string, err error) {
	q := store.ReaderQuery{Part: p.Part, State: digest.DigestState(who), Most: readersShown + 1}
	if who == whoMembers {
		q.State, q.Member = digest.DigestLeft, true
	}
	if after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64); err == nil && after > 0 {
		q.After, p.Begun = digest.UserID(after), true
	}
	found, err := s.Store.Operator.Readers(r.Context(), q)
	for i, u := range found {
		p.Readers = append(p.Readers, listedReader{readerPath(u.ID), u.Email, readerWords(u)})
		if i == readersShown-1 {
			last = strconv.FormatInt(int64(u.ID), 10)
		}
	}
	return last, err
}

// listUnconfirmed adds unconfirmed addresses like listReaders.
func (s *site) listUnconfirmed(r *http.Request, _ string, p *readersPage) (last string, err error) {
	after := page.FirstRunes(r.URL.Query().Get("after"), publisher.MostPart)
	p.Begun = after != ""
	found, err := s.Store.Operator.Unconfirmed(r.Context(), p.Part, after, readersShown+1, s.Now())
	for i, u := range found {
		p.Readers = append(p.Readers,
			listedReader{Email: u.Email,
				Words: catalogue.Key("not confirmed; sign-up link works until %s UTC").With(page.Minute(u.ExpiresAt))})
		if i == readersShown-1 {
			last = u.Email
		}
	}
	return last, err
}

func readerPath(id digest.UserID) string {
	return "/operator/readers/" + strconv.FormatInt(int64(id), 10)
}

// readerWords describes a reader: "paused until 3 May 2026, joined 1 May 2026, Europe/Paris".
func readerWords(u store.ListedReader) catalogue.Sayable {
	words := map[digest.DigestState]catalogue.Sayable{
		digest.DigestActive: catalogue.Key("active"), digest.DigestPaused: catalogue.Key("paused"),
		digest.DigestLeft: catalogue.Key("unsubscribed"),
	}[u.State]
	switch {
	case u.MemberOnly:
		words = catalogue.Key("newsletters only")
	case u.State == digest.DigestPaused && !u.PausedUntil.IsZero():
		words = catalogue.Key("paused until %s").With(catalogue.Time("2 January 2006",
			u.PausedUntil.In(page.ZoneOr(u.TimeZone))))
	}
	parts := []catalogue.Sayable{words}
	if u.Suppressed {
		parts = append(parts, catalogue.Key("address suppressed"))
	}
	if u.Operator {
		parts = append(parts, catalogue.Key("operator"))
	}
	return catalogue.Listed(append(parts, catalogue.Key("joined %s").With(publisher.Dated(u.CreatedAt)),
		catalogue.Text(page.ZoneName(u.TimeZone))))
}

func (s *site) testMail(v *page.Visit) error {
	if !s.Mails() {
		return page.ErrNotFound
	}
	if !s.Limits.Tests.Allow(v.Key(), v.Now) {
		return page.ErrTooManyTests
	}
	s.MailPlainly(v.Email, TestLetter(v.PageLanguage(), s.BaseURL, v.Now))
	return v.SeeSaved(nil, "/operator", "tested")
}
