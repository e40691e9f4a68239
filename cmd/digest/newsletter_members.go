package main

import (
	"fmt"
	"time"

	"digest"
	"digest/internal/places"
	"digest/newsletter"
	"digest/store"
)

type newsletterMembersCmd struct {
	reads
	slugArg
	Part  string `arg:"" optional:"" help:"The member's address."`
	State string `type:"word" words:"active,paused,left" placeholder:"STATE" env:"-" help:"Only members in this state: active, paused or left."`
}

type reportedMember struct {
	Email       string             `json:"email"`
	TimeZone    string             `json:"time_zone"`
	State       digest.DigestState `json:"state"`
	Days        string             `json:"days"`
	OwnDays     bool               `json:"own_days"`
	JoinedAt    *time.Time         `json:"joined_at"`
	LeftAt      *time.Time         `json:"left_at"`
	Form        string             `json:"form"`
	Address     string             `json:"address"` // IP address of the confirmation
	AskedAt     *time.Time         `json:"asked_at"`
	ConfirmedAt *time.Time         `json:"confirmed_at"`

	History []reportedEvent `json:"history,omitempty"`
}

type reportedEvent struct {
	At     *time.Time `json:"at"`
	Kind   string     `json:"kind"`
	Detail string     `json:"detail"`
}

func reportMember(m digest.Member) reportedMember {
	return reportedMember{
		Email: m.Email, TimeZone: m.TimeZone, State: m.State, Days: m.Cadence.String(), OwnDays: m.OwnDays,
		JoinedAt: instant(m.JoinedAt), LeftAt: instant(m.LeftAt), Form: m.Form, Address: m.Address,
		AskedAt: instant(m.AskedAt), ConfirmedAt: instant(m.At),
	}
}

// Run lists members. With a full address it shows one member with their history.
func (c newsletterMembersCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	if email, err := parseEmail(c.Part); err == nil {
		return a.showMember(st, n, email)
	}
	members := st.Members.Members(a.soft, n.ID, store.MemberQuery{Part: c.Part, State: digest.DigestState(c.State)})
	if a.json {
		return printArray(a, reported(members, reportMember))
	}
	return printPages(a, members, "no member; see: digest newsletter join --help", func(m digest.Member) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\tjoined %s", m.Email, m.TimeZone, m.State, m.Cadence,
			m.JoinedAt.Format(time.DateOnly))
	})
}

func (a *app) showMember(st *store.Store, n digest.Newsletter, email string) error {
	m, err := st.Members.Member(a.soft, n.ID, email)
	if err != nil {
		return err
	}
	events, err := st.Members.MemberEvents(a.soft, n.ID, email)
	if err != nil {
		return err
	}
	r := reportMember(m)
	r.History = each(events,
		func(e store.MemberEvent) reportedEvent { return reportedEvent{instant(e.At), e.Kind, e.Detail} })
	return a.show(r, func() error {
		a.printf("%s: %s, %s, %s\n", m.Email, m.TimeZone, m.State, m.Cadence)
		a.printf("joined by %s, confirmed %s%s\n", plain(m.Form), when(r.ConfirmedAt), from(m.Address))
		return printTable(a, "history", r.History, func(e reportedEvent) string {
			return fmt.Sprintf("%s\t%s\t%s", when(e.At), e.Kind, plain(e.Detail))
		})
	})
}

func (a *app) sayAsks(t newsletter.AskCounts, stopped string) {
	if t == (newsletter.AskCounts{}) {
		return
	}
	a.printf("confirmation requests to imported people: %d waiting, %d sent, %d confirmed, %d unanswered, %d bounced, %d reported as spam, %d refused\n",
		t.Waiting, t.Asked, t.Confirmed, t.Lapsed, t.Bounced, t.Complained, t.Refused)
	if stopped != "" {
		a.printf("no more requests are sent: %s\n", stopped)
	}
}

func from(address string) string {
	if address == "" {
		return ""
	}
	return " from " + plain(address)
}

type newsletterJoinCmd struct {
	slugArg
	emailArg
	TimeZone string `required:"" placeholder:"ZONE" env:"-" help:"A city or time zone, such as Paris or America/New_York; existing readers keep theirs."`
	Proof    string `required:"" placeholder:"TEXT" env:"-" help:"How they asked: \"by letter of 3 May\". It is kept as the proof of their consent."`
}

func (c *newsletterJoinCmd) check() error {
	if err := c.emailArg.check(); err != nil {
		return err
	}
	var err error
	c.TimeZone, err = places.Zone(c.TimeZone)
	return err
}

// Run adds a member, even one who left before, because the operator vouches for their consent.
func (c *newsletterJoinCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	m, created, err := st.Members.Join(a.soft, n.ID, store.Joining{
		Email: c.Email, TimeZone: c.TimeZone, Asked: true,
		Proof: digest.Proof{Form: c.Proof, AskedAt: a.now(), At: a.now()},
	}, a.now())
	if err != nil {
		return err
	}
	verb := "has joined"
	if !created {
		verb = "is already a member of"
	}
	return a.say(reportMember(m), "%s %s %s", m.Email, verb, plain(n.Name))
}

type newsletterLeaveCmd struct {
	slugArg
	emailArg
}

func (c *newsletterLeaveCmd) check() error { return c.emailArg.check() }

func (c *newsletterLeaveCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	m, err := st.Members.Member(a.soft, n.ID, c.Email)
	if err != nil {
		return err
	}
	if err := st.Readers.SetDigestState(a.soft, m.DigestID, digest.DigestLeft, a.now()); err != nil {
		return err
	}
	return a.say(map[string]any{"email": m.Email, "left": true}, "%s has left %s; an import cannot add them again",
		m.Email, plain(n.Name))
}
