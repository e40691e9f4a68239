package publisher

import (
	"net/url"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// A membersPage lists up to membersShown members of a newsletter.
type membersPage struct {
	publisher
	Part    string // part of an address to search for
	States  []page.Choice
	Members []listedMember
	Later   string // path of the next page; "": this is the last
	Begun   bool   // there are earlier members
}

type listedMember struct{ digest.Member }

// Words returns the state of the membership: "since 3 May 2026", "unsubscribed on 4 May 2026".
func (m listedMember) Words() catalogue.Message {
	switch {
	case m.State == digest.DigestLeft:
		return catalogue.Key("unsubscribed on %s").With(Dated(m.LeftAt))
	case m.State == digest.DigestPaused:
		return catalogue.Key("paused, member since %s").With(Dated(m.JoinedAt))
	}
	return catalogue.Key("since %s").With(Dated(m.JoinedAt))
}

// Dated returns the day of t in UTC.
func Dated(t time.Time) catalogue.Moment { return catalogue.Time("2 January 2006", t.UTC()) }

const (
	membersShown = 100 // members on one page
	MostPart     = 320 // longest search text, in characters
)

func memberStates() []page.Choice {
	return []page.Choice{
		{Name: catalogue.Key("Everyone")}, {Value: string(digest.DigestActive), Name: catalogue.Key("Active")},
		{Value: string(digest.DigestPaused), Name: catalogue.Key("Paused")},
		{Value: string(digest.DigestLeft), Name: catalogue.Key("Unsubscribed")},
	}
}

func (s *Site) membersPage(me publisher) error {
	given := me.URL.Query()
	p := membersPage{publisher: me,
		Part: page.FirstRunes(digest.OneLine(given.Get("q")), MostPart), States: page.Chosen(memberStates(),
			given.Get("state"))}
	query := store.MemberQuery{Part: p.Part}
	for _, c := range p.States {
		if c.Chosen {
			query.State = digest.DigestState(c.Value)
		}
	}
	if after, err := strconv.ParseInt(given.Get("after"), 10, 64); err == nil && after > 0 {
		query.After, p.Begun = digest.DigestID(after), true
	}
	for m, err := range s.Store.Members.Members(me.Ctx, me.Newsletter.ID, query) {
		if err != nil {
			return err
		}
		if n := len(p.Members); n == membersShown {
			last := strconv.FormatInt(int64(p.Members[n-1].DigestID), 10)
			p.Later = me.Path() + "/members?" +
				url.Values{"q": {p.Part}, "state": {string(query.State)}, "after": {last}}.Encode()
			break
		}
		p.Members = append(p.Members, listedMember{m})
	}
	return me.show(nil, "publisher/members", catalogue.Key("Members"), p)
}
