package digest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"
)

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
