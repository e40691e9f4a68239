package digest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"
)

// A Signer makes and checks the tokens in links: which row a link speaks of,
// and a MAC that nobody without the instance's secret can make. Tokens are
// short (RFC 8058 URLs cannot be folded), lower case, and safe in a path.
type Signer struct {
	secret []byte
}

// Purpose separates the uses of tokens: one made for a purpose fails for any other.
type Purpose string

// What tokens are for.
const (
	ForUnsubscribe Purpose = "unsubscribe" // of a digest
	ForEdition     Purpose = "edition"     // reading one edition on the web
	ForMessageID   Purpose = "message-id"  // of an edition
	ForBounce      Purpose = "bounce"      // of an edition, in its return path
	// of an Ask, in the address to which its letter comes back, and a mail that declines it goes
	ForAskBounce Purpose = "ask-bounce"
	// of a newsletter, in the address that counts answers; and of one answer (SignText), so that none counts twice
	ForReply           Purpose = "reply"
	ForUnsubscribeMail Purpose = "leaving"    // of a digest, in the address that a mail to unsubscribe goes to
	ForImage           Purpose = "image"      // of an address (SignText)
	ForSound           Purpose = "sound"      // of an address (SignText)
	ForGoingBack       Purpose = "going-back" // of a digest and a feed that moved (SignPair)
	// of a digest and a feed that fails (SignPair), and of what is offered in its place (SignText)
	ForRemedies Purpose = "remedies"
	ForSaving   Purpose = "saving"   // of an edition and a post in it that is to be saved (SignPair)
	ForSite     Purpose = "site"     // of an edition and a feed of which its reader wants less (SignPair)
	ForUndo     Purpose = "undo"     // of a digest and a LinkChange (SignPair)
	ForClick    Purpose = "click"    // of a Click (SignText)
	ForBrowser  Purpose = "browser"  // of a browser and an address that it was signed in with (SignText)
	ForCallback Purpose = "callback" // of a PushSubscription: where its hub sends what is new
	ForCloud    Purpose = "cloud"    // of a CloudSubscription: where its cloud tells of news
	// of a reader (SignText): whose what a browser keeps is, without saying who that is
	ForDevice Purpose = "device"
	// of a network or browser that asks for a letter (SignText): its name without saying which
	ForAsker Purpose = "asker"
)

// macBytes is the length of the MAC in a token: 96 bits.
const macBytes = 12

// NewSigner makes a Signer from the instance's secret, at least 16 random bytes.
func NewSigner(secret []byte) *Signer {
	return &Signer{secret: append([]byte(nil), secret...)}
}

// Sign makes the token for one row.
func (s *Signer) Sign(p Purpose, id int64) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(id))
	b = append(b, s.mac(p, id)...)
	return strings.ToLower(tokenEncoding().EncodeToString(b))
}

// LastLinkRound is the last round of links that a token can tell from others; the
// first one comes after it again.
const LastLinkRound = 1<<15 - 1

// InRound is the number for a row in the tokens of links that its reader can make
// void: those of an earlier round are. The numbers of rows leave room for it.
func InRound(id int64, round int) int64 { return id | int64(round)<<48 }

// OfRound gives the row and the round of a number that InRound made.
func OfRound(number int64) (id int64, round int) {
	return number & (1<<48 - 1), int(number >> 48 & LastLinkRound)
}

// Verify gives the row a token speaks of; false if it was not made by Sign for this purpose.
func (s *Signer) Verify(p Purpose, token string) (int64, bool) {
	if len(token) != tokenEncoding().EncodedLen(8+macBytes) {
		return 0, false // the decoder would let a stray character pass
	}
	b, err := tokenEncoding().DecodeString(strings.ToUpper(token))
	if err != nil || len(b) != 8+macBytes {
		return 0, false
	}
	id := int64(binary.BigEndian.Uint64(b))
	return id, hmac.Equal(b[8:], s.mac(p, id))
}

// SignPair makes the token for two rows, in their order.
func (s *Signer) SignPair(p Purpose, a, b int64) string {
	return strings.ToLower(tokenEncoding().EncodeToString(append(pairBytes(a, b), s.pairMAC(p, a, b)...)))
}

// VerifyPair gives the rows a token speaks of; false if it was not made by
// SignPair for this purpose.
func (s *Signer) VerifyPair(p Purpose, token string) (a, b int64, ok bool) {
	token = strings.ToLower(token)
	raw, err := tokenEncoding().DecodeString(strings.ToUpper(token))
	if err != nil || len(raw) != 16+macBytes {
		return 0, 0, false
	}
	a, b = int64(binary.BigEndian.Uint64(raw)), int64(binary.BigEndian.Uint64(raw[8:]))
	// the whole of it: the decoder lets stray bits pass
	return a, b, hmac.Equal([]byte(token), []byte(s.SignPair(p, a, b)))
}

// pairMAC cannot be that of a row or a text, by the byte of 2 after the purpose.
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

// SignText makes the token for a text, such as the address of a picture.
func (s *Signer) SignText(p Purpose, text string) string {
	return strings.ToLower(tokenEncoding().EncodeToString(s.textMAC(p, text)))
}

// VerifyText reports whether a token was made by SignText for this purpose and text.
func (s *Signer) VerifyText(p Purpose, text, token string) bool {
	return hmac.Equal([]byte(token), []byte(s.SignText(p, text)))
}

// textMAC cannot be that of a row: no row's is made with a byte of 1 after the purpose.
func (s *Signer) textMAC(p Purpose, text string) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(p))
	h.Write([]byte{1})
	h.Write([]byte(text))
	return h.Sum(nil)[:macBytes]
}

func tokenEncoding() *base32.Encoding { return base32.StdEncoding.WithPadding(base32.NoPadding) }
