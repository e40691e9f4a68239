package mailer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"digest"
)

// complete fills in what every message of the loop has alike.
func (r *run) complete(m Letter, d digest.Delivery) Letter {
	setText(&m.From, r.l.From)
	setText(&m.ReplyTo, r.l.ReplyTo)
	setText(&m.To, d.Email)
	setText(&m.MessageID, d.MessageID)
	if m.MessageID == "" {
		m.MessageID = MessageID(r.l.Signer, d.ID, r.host)
	}
	setText(&m.ListName, d.DigestName)
	setText(&m.ListID, fmt.Sprintf("d%d.digest.%s", d.DigestID, r.host))
	setText(&m.HelpURL, r.l.HelpURL)
	setText(&m.FeedbackID, feedbackOf(d, r.host))
	if r.l.ReturnPath != "" && m.UnsubscribeMail == "" {
		m.UnsubscribeMail = digest.Tagged(r.l.ReturnPath, r.l.Signer.Sign(digest.ForLeaving, int64(d.DigestID)))
	}
	if d.Threaded && m.Thread == "" {
		m.Thread = threadID(r.l.Signer, d.DigestID, r.host)
	}
	if m.Date.IsZero() {
		m.Date = dateOf(d, r.clock())
	}
	m.Date = m.Date.In(r.l.zones.load(d.TimeZone))
	return m
}

func setText(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// returnPath is the address that a bounce of an edition comes back to: its tag
// tells which edition bounced, and nobody else can make one.
func (r *run) returnPath(d digest.Delivery, from string) string {
	if r.l.ReturnPath == "" {
		return from
	}
	return digest.Tagged(r.l.ReturnPath, r.l.Signer.Sign(digest.ForBounce, int64(d.ID)))
}

// feedbackOf lets Gmail tell the complaints of one day and instance from
// others'. Nothing in it is a reader's.
func feedbackOf(d digest.Delivery, host string) string {
	return fmt.Sprintf("%04d%02d%02d:daily:%s:%s", d.LocalDate.Year, d.LocalDate.Month, d.LocalDate.Day, host, senderID(host))
}

// senderID names a sender in 5 to 15 characters that stay the same.
func senderID(host string) string {
	sum := sha256.Sum256([]byte(host))
	return "d" + hex.EncodeToString(sum[:5])
}

// threadID is the Message-ID that all editions of a digest refer to, so that a
// mail program shows them as one conversation. No message has it.
func threadID(signer *digest.Signer, id digest.DigestID, host string) string {
	return atHost("t."+signer.SignText(digest.ForMessageID, "thread "+strconv.FormatInt(int64(id), 10)), host)
}

// atHost makes an id of at most 64 characters: an overlong host loses labels from the left.
func atHost(local, host string) string {
	const most = 64
	for len(local)+1+len(host) > most {
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			host = host[len(host)-(most-1-len(local)):]
			break
		}
		host = rest
	}
	return local + "@" + host
}

// dateOf is when the message was first queued. A resend in doubt keeps it,
// because receivers know a duplicate by Message-ID and Date; a message that was
// certainly not accepted and is late gets a new one, because filters distrust
// an old Date.
func dateOf(d digest.Delivery, now time.Time) time.Time {
	const late = 2 * time.Hour
	if d.Date.IsZero() || !d.WasInDoubt && now.Sub(d.Date) > late {
		return now.Truncate(time.Second)
	}
	return d.Date
}

// zoneCache keeps the readers' zones: reading one takes longer than composing a message.
type zoneCache struct{ byName sync.Map }

func (z *zoneCache) load(name string) *time.Location {
	if loc, ok := z.byName.Load(name); ok {
		return loc.(*time.Location)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		loc = time.UTC // the offset is for show
	}
	z.byName.Store(name, loc)
	return loc
}
