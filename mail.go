package digest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Lane is a way for mail with its own limits: the route, whose name is empty, or the domain of a recipient. Trouble
// in one lane does not stop the others.
type Lane struct {
	Name   string // a domain in ASCII and lower case; empty: the route
	Limits        // set by the operator for this lane; zero: the settings apply

	Width     int           // maximum messages in flight while it recovers; 0: it is well
	Pause     time.Duration // the latest one
	Until     time.Time     // no messages before this time
	Failures  int           // consecutive
	Alarm     bool          // the operator has to fix something
	Reason    string        // of the trouble; one line
	ChangedAt time.Time
}

// ClockSlack is the maximum difference between the clocks of two workers. A time further in the future is from a wrong
// clock.
const ClockSlack = 5 * time.Minute

// IsPaused reports whether the lane sends nothing at now. It ignores a pause from a wrong clock, such as one of a
// machine that has just booted, which could stop the mail for a day.
func (l Lane) IsPaused(now time.Time) bool {
	return l.Until.After(now) && !l.ChangedAt.After(now.Add(ClockSlack))
}

// IsTroubled reports whether the lane has trouble, or recovers from it, and an operator can reset it.
func (l Lane) IsTroubled() bool {
	return l != Lane{Name: l.Name, Limits: l.Limits, ChangedAt: l.ChangedAt}
}

// Limits are the limits of a lane.
type Limits struct {
	Connections int // messages in flight; 0: no limit
	Rate
}

// A Rate is a maximum number of messages in any interval of length Per, which is in whole seconds. The zero Rate is no
// limit.
type Rate struct {
	Messages int
	Per      time.Duration
}

// ParseRate parses a rate such as "100/m", with the units s, m, h and d; "0" is no limit.
func ParseRate(s string) (Rate, error) {
	if s == "0" {
		return Rate{}, nil
	}
	number, unit, _ := strings.Cut(s, "/")
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[unit]
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 || per == 0 {
		return Rate{}, fmt.Errorf("%q is not a rate such as 100/m", s)
	}
	return Rate{int(n), per}, nil
}

// String returns the text that ParseRate parses.
func (r Rate) String() string {
	for unit, per := range map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour} {
		if r.Per == per {
			return strconv.Itoa(r.Messages) + "/" + unit
		}
	}
	return "0"
}

// A QueuePlace is the place of an edition in the queue; the zero value is before all.
type QueuePlace struct {
	NextAt time.Time
	ID     EditionID
}

// A Claim is a mailer's request for editions from the queue.
type Claim struct {
	Most  int           // maximum number of editions
	Lease time.Duration // duration of the lease
	Token string        // of the lease

	// After is a place in the queue before which no edition can be claimed, if the caller knows one. It is valid only
	// if no other limit held back editions before it.
	After QueuePlace

	// The limits of lanes that have none of their own.
	Route, Domain Limits
}

// BounceKind says what a bounce means for an address.
type BounceKind string

const (
	HardBounce BounceKind = "hard"      // the mailbox does not exist
	SoftBounce BounceKind = "soft"      // temporary; suppressed if it lasts long
	Complaint  BounceKind = "complaint" // the reader reported spam

	// RefusedBounce is a failure for reasons other than the mailbox: policy, content, size or our configuration. The
	// operator sees it; it does not suppress an address.
	RefusedBounce BounceKind = "refused"
)

// A Bounce is a failure report about an edition.
type Bounce struct {
	Edition  EditionID
	Kind     BounceKind
	Status   string // RFC 3463, such as "5.1.1"; empty: none
	Evidence string // one line of the report
}

// Reason is why an address is suppressed.
type Reason string

const (
	ForHardBounce  Reason = "hard_bounce"
	ForSoftBounces Reason = "soft_bounces" // for a number of editions and days in a row
	ForComplaint   Reason = "complaint"
	ForOperator    Reason = "manual"
)

// A Suppression is an address that gets no email, whatever it subscribes to.
type Suppression struct {
	Email     string
	Reason    Reason
	Evidence  string    // one line of the report
	EditionID EditionID // that was reported; 0: none
	CreatedAt time.Time
}

// A DKIMKey signs the mail of a domain and its subdomains.
type DKIMKey struct {
	Domain     string
	Selector   string
	PrivateKey []byte // PKCS #8
	Active     bool   // signs; one key of a domain does
	CreatedAt  time.Time
}

// Tagged adds a tag to an address: bounces@example.org becomes bounces+tag@example.org (RFC 5233).
func Tagged(address, tag string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return address[:at] + "+" + tag + address[at:]
}

// CutTag splits an address into the plain address and its tag, "" if it has none.
func CutTag(address string) (plain, tag string) {
	at := strings.LastIndexByte(address, '@')
	plus := strings.LastIndexByte(address[:max(at, 0)], '+')
	if plus < 0 {
		return address, ""
	}
	return address[:plus] + address[at:], address[plus+1 : at]
}

// MailDomain returns the domain of a bare email address as the DNS writes it: in lower case and ASCII.
func MailDomain(address string) string {
	domain := address[strings.LastIndexByte(address, '@')+1:]
	if ascii, err := ASCIIHost(domain); err == nil {
		return ascii
	}
	return strings.ToLower(domain)
}

// NoMailbox reports whether an enhanced status code (RFC 3463) says that a mailbox does not exist permanently.
func NoMailbox(status string) bool {
	switch status {
	case "5.1.1", // no such mailbox
		"5.1.2",  // no such system
		"5.1.3",  // no such syntax
		"5.1.6",  // moved, without a forwarding address
		"5.1.10", // the domain accepts no mail (RFC 7505)
		"5.2.1":  // the mailbox is disabled
		return true
	}
	return false
}

// A LetterNote says that the instance refused sign-in links or emails to new addresses, because too many were not used.
type LetterNote struct {
	Domain string // the email domain that reached its limit; "": the limit of the instance
	SignIn bool   // the limit of sign-in links
	At     time.Time
}

// LetterNoteLife is how long the operator's page and the doctor show a LetterNote.
const LetterNoteLife = 7 * 24 * time.Hour

// Words returns the problem and the remedy, for the operator.
func (n LetterNote) Words() (found, todo string) {
	found = "too many sign-up emails were not confirmed, so new sign-ups and new members were refused"
	switch {
	case n.SignIn:
		return "too many sign-in links were not used, so unknown browsers got no more",
			"check the log for who requests them; digest user sign-in prints a link for a reader"
	case n.Domain != "":
		found = fmt.Sprintf("too many sign-up emails to %s were not confirmed, so new addresses there were refused",
			n.Domain)
	}
	return found, "if it continues, set DIGEST_SIGN_UP=invitation, or hold the newsletter they try to join"
}

// A Signer makes and verifies the tokens in links. A token contains the key of a row and a MAC that needs the
// instance's secret. Tokens are short (RFC 8058 URLs cannot be folded), lower case, and safe in a path.
type Signer struct {
	secret []byte
}

// Purpose separates the uses of tokens: Verify rejects a token for another purpose.
type Purpose string

const (
	ForUnsubscribe Purpose = "unsubscribe" // a digest
	ForEdition     Purpose = "edition"     // an edition, to read it on the web
	ForMessageID   Purpose = "message-id"  // an edition
	ForBounce      Purpose = "bounce"      // an edition, in its return path
	// an Ask, in the address for its bounces and for emails that decline it
	ForAskBounce       Purpose = "ask-bounce"
	ForUnsubscribeMail Purpose = "leaving"    // a digest, in the address for emails that unsubscribe
	ForImage           Purpose = "image"      // an address (SignText)
	ForSound           Purpose = "sound"      // an address (SignText)
	ForGoingBack       Purpose = "going-back" // a digest and a feed that moved (SignPair)
	// a digest and a feed that fails (SignPair), and the offered replacement (SignText)
	ForRemedies Purpose = "remedies"
	ForTrial    Purpose = "trial"    // a digest and a feed that its reader tries out (SignPair)
	ForSaving   Purpose = "saving"   // an edition and a post in it to save (SignPair)
	ForSite     Purpose = "site"     // an edition and a feed that its reader wants less of (SignPair)
	ForUndo     Purpose = "undo"     // a digest and a LinkChange (SignPair)
	ForClick    Purpose = "click"    // a Click (SignText)
	ForBrowser  Purpose = "browser"  // a browser and an address that signed in with it (SignText)
	ForCallback Purpose = "callback" // a PushSubscription, in the callback for its hub
	// a reader (SignText), as an anonymous owner of data in a browser
	ForDevice Purpose = "device"
	ForAsker  Purpose = "asker" // a network or browser that requested an email (SignText), as an anonymous name
)

const macBytes = 12

// NewSigner returns a Signer for the instance's secret, at least 16 random bytes.
func NewSigner(secret []byte) *Signer {
	return &Signer{secret: append([]byte(nil), secret...)}
}

// Sign returns the token for one row.
func (s *Signer) Sign(p Purpose, id int64) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(id))
	b = append(b, s.mac(p, id)...)
	return strings.ToLower(tokenEncoding().EncodeToString(b))
}

// LastLinkRound is the last round of links that fits into a token. The first round follows it again.
const LastLinkRound = 1<<15 - 1

// InRound combines a row and a round of links into the number for a token. The links of earlier rounds are void. Keys
// of rows have fewer than 48 bits.
func InRound(id int64, round int) int64 { return id | int64(round)<<48 }

// OfRound splits a number from InRound into the row and the round.
func OfRound(number int64) (id int64, round int) {
	return number & (1<<48 - 1), int(number >> 48 & LastLinkRound)
}

// Verify returns the row of a token, or false if Sign did not make it for this purpose.
func (s *Signer) Verify(p Purpose, token string) (int64, bool) {
	if len(token) != tokenEncoding().EncodedLen(8+macBytes) {
		return 0, false // the decoder ignores some extra characters
	}
	b, err := tokenEncoding().DecodeString(strings.ToUpper(token))
	if err != nil || len(b) != 8+macBytes {
		return 0, false
	}
	id := int64(binary.BigEndian.Uint64(b))
	return id, hmac.Equal(b[8:], s.mac(p, id))
}

// SignPair returns the token for two rows, in their order.
func (s *Signer) SignPair(p Purpose, a, b int64) string {
	return strings.ToLower(tokenEncoding().EncodeToString(append(pairBytes(a, b), s.pairMAC(p, a, b)...)))
}

// VerifyPair returns the rows of a token, or false if SignPair did not make it for this purpose.
func (s *Signer) VerifyPair(p Purpose, token string) (a, b int64, ok bool) {
	token = strings.ToLower(token)
	raw, err := tokenEncoding().DecodeString(strings.ToUpper(token))
	if err != nil || len(raw) != 16+macBytes {
		return 0, 0, false
	}
	a, b = int64(binary.BigEndian.Uint64(raw)), int64(binary.BigEndian.Uint64(raw[8:]))
	// Compare the whole token, because the decoder ignores stray bits.
	return a, b, hmac.Equal([]byte(token), []byte(s.SignPair(p, a, b)))
}

// pairMAC writes a 2 after the purpose, so that no MAC of a row or a text is equal.
func (s *Signer) pairMAC(p Purpose, a, b int64) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(p))
	h.Write([]byte{2})
	h.Write(pairBytes(a, b))
	return h.Sum(nil)[:macBytes]
}

func pairBytes(a, b int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(a)), uint64(b))
}

func (s *Signer) mac(p Purpose, id int64) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(p))
	h.Write([]byte{0})
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
	return h.Sum(nil)[:macBytes]
}

// SignText returns the token for a text, such as the address of a picture.
func (s *Signer) SignText(p Purpose, text string) string {
	return strings.ToLower(tokenEncoding().EncodeToString(s.textMAC(p, text)))
}

// VerifyText reports whether SignText made a token for this purpose and text.
func (s *Signer) VerifyText(p Purpose, text, token string) bool {
	return hmac.Equal([]byte(token), []byte(s.SignText(p, text)))
}

// textMAC writes a 1 after the purpose, so that no MAC of a row is equal.
func (s *Signer) textMAC(p Purpose, text string) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(p))
	h.Write([]byte{1})
	h.Write([]byte(text))
	return h.Sum(nil)[:macBytes]
}

func tokenEncoding() *base32.Encoding { return base32.StdEncoding.WithPadding(base32.NoPadding) }
