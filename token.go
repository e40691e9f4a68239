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

func (s *Signer) mac(p Purpose, id int64) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(p))
	h.Write([]byte{0})
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
	return h.Sum(nil)[:macBytes]
}

func tokenEncoding() *base32.Encoding { return base32.StdEncoding.WithPadding(base32.NoPadding) }
