package publisher

import (
	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

type memberPage struct {
	publisher
	Member  listedMember
	History []memberEvent
}

// Days returns the days on which the member gets issues.
func (p memberPage) Days() catalogue.Message {
	return page.DaysView{Cadence: p.Member.Cadence}.Words()
}

// Zone returns the name of the member's time zone for display.
func (p memberPage) Zone() string { return page.ZoneName(p.Member.TimeZone) }

type memberEvent struct{ store.MemberEvent }

// Words returns the text of the event: catalogue.Sayable, or its kind if that is unknown.
func (e memberEvent) Words() any {
	switch e.Kind {
	case "joined":
		return catalogue.Key("Joined")
	case "left":
		return catalogue.Key("Unsubscribed")
	case "back":
		return catalogue.Key("Rejoined")
	case "imported":
		return catalogue.Key("Imported")
	}
	return e.Kind
}

// memberOf returns the member whose digest ID is in the path.
func (s *Site) memberOf(me publisher) (digest.Member, error) {
	return s.Store.Members.MemberByDigest(me.Ctx, me.Newsletter.ID, digest.DigestID(me.PathID))
}

func (s *Site) memberPage(me publisher) error {
	m, err := s.memberOf(me)
	if err != nil {
		return err
	}
	events, err := s.Store.Members.MemberEvents(me.Ctx, me.Newsletter.ID, m.Email)
	p := memberPage{publisher: me, Member: listedMember{m}}
	for _, e := range events {
		p.History = append(p.History, memberEvent{e})
	}
	return me.Visit.Show(err, "publisher/member", m.Email, p)
}

// letMemberLeave unsubscribes a member who asked the publisher for it. An import does not add them again.
func (s *Site) letMemberLeave(me publisher) error {
	m, err := s.memberOf(me)
	if err != nil {
		return err
	}
	err = s.Store.Readers.SetDigestState(me.Ctx, m.DigestID, digest.DigestLeft, me.Now)
	return me.saved(err, "/members/"+me.PathValue("id"), "left")
}
