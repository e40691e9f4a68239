package allowance

import (
	"slices"
	"strings"
)

// A Share is a part of the emails that an instance sends within an hour. Each share has its own limit, so that many
// newcomers do not stop readers from signing in.
type Share string

// The shares. Only readers and publishers can cause letters of other kinds.
const (
	NoShare   Share = ""
	Newcomers Share = "newcomers" // sign-ups, and requests to join a newsletter
	Readers   Share = "readers"   // sign-in links to existing accounts
)

// Share returns the share that emails of a kind belong to.
func (k Kind) Share() Share {
	switch {
	case k == SignUp, k.IsJoin():
		return Newcomers
	case k == SignIn:
		return Readers
	}
	return NoShare
}

// A Load counts the emails of a share within the last hour. All fields but Answered count unanswered emails.
type Load struct {
	Total, OfAsker             int
	ToDomain, ToDomainForAsker int // to the registrable domain of the address
	Answered                   int
}

// A Crowd says why an email of a share is not sent.
type Crowd string

const (
	NoCrowd       Crowd = ""
	AskerCrowd    Crowd = "asker"
	DomainCrowd   Crowd = "domain"
	InstanceCrowd Crowd = "instance"
)

const (
	// mostOfShare is the maximum number of unanswered emails of a share within an hour. Answered emails raise it by at
	// most mostAnswered, because people use the links that they requested.
	mostOfShare  = 1000
	mostAnswered = 4000

	// fewOfAsker is the maximum number of unanswered emails of one network once half of a share is used. The other half
	// is for networks that request few.
	fewOfAsker = 5
)

// Crowded returns why an email of a kind to a domain must not be sent, or NoCrowd. It first rejects networks that
// request many emails, then all emails to the domain, then all emails.
func (k Kind) Crowded(l Load, domain string) Crowd {
	if k.Share() == NoShare {
		return NoCrowd
	}
	toDomain, forAsker := 50, 10
	if k.IsJoin() {
		// Many people can join on the day on which they hear of a newsletter.
		toDomain, forAsker = 200, 20
	}
	if isProvider(domain) {
		toDomain, forAsker = 10*toDomain, 10*forAsker
	}
	most := mostOfShare + min(l.Answered, mostAnswered)
	switch newcomer := k.Share() == Newcomers; {
	case newcomer && l.ToDomainForAsker >= forAsker, l.Total >= most/2 && l.OfAsker >= fewOfAsker:
		return AskerCrowd
	case newcomer && l.ToDomain >= toDomain:
		return DomainCrowd
	case l.Total >= most:
		return InstanceCrowd
	}
	return NoCrowd
}

// isProvider reports whether a domain belongs to a large public provider, where many emails are not an attack.
func isProvider(domain string) bool {
	return slices.Contains(strings.Fields(`gmail.com outlook.com hotmail.com hotmail.co.uk hotmail.fr live.com msn.com
		yahoo.com yahoo.co.uk yahoo.co.jp yahoo.fr yahoo.de ymail.com icloud.com me.com mac.com aol.com gmx.de gmx.net gmx.at gmx.com web.de
		t-online.de freenet.de proton.me protonmail.com pm.me fastmail.com zoho.com mail.com mail.ru bk.ru inbox.ru yandex.ru yandex.com
		qq.com 163.com 126.com naver.com hanmail.net orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it comcast.net
		verizon.net att.net sbcglobal.net cox.net btinternet.com sky.com hey.com posteo.de mailbox.org tuta.com tutanota.com seznam.cz
		wp.pl o2.pl onet.pl interia.pl uol.com.br terra.com.br bol.com.br rediffmail.com docomo.ne.jp ezweb.ne.jp bigpond.com ziggo.nl kpnmail.nl`), domain)
}
