// Package seal keeps the credentials of private feeds from whoever reads the database:
// they are stored encrypted, by a key that is in a file of its own.
//
// A key file has a key a line, 32 random bytes in base64; what begins with # is a remark.
// The first key encrypts, all of them decrypt. So a new key is put before the old one, all
// that is stored is encrypted anew (digest key rotate), and the old key stays for backups.
//
// What is stored is "1.ID.TEXT": ID names the key, TEXT is AES-256-GCM with a random nonce
// (NIST SP 800-38D), which also finds out whether it was changed. ID is 40 bits of a hash
// of the key.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"digest"
)

// keyBytes is the length of a key.
const keyBytes = 32

// version begins what is sealed, and is authenticated with it.
const version = "1."

// A key is one line of a key file.
type key struct {
	id   string
	text string // as it stands in the file
	aead cipher.AEAD
	name []byte // for names
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// parseKey reads a line.
func parseKey(text string) (key, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != keyBytes {
		return key{}, fmt.Errorf("is not a key of %d bytes in base64", keyBytes)
	}
	k := key{text: text}
	for _, d := range []struct {
		purpose string
		bytes   int
		use     func([]byte) error
	}{
		{"digest key id", 5, func(b []byte) error { k.id = base32Lower.EncodeToString(b); return nil }},
		{"digest names of private feeds", 32, func(b []byte) error { k.name = b; return nil }},
		{"digest credentials", 32, func(b []byte) error { k.aead, err = gcm(b); return err }},
	} {
		derived, err := hkdf.Key(sha256.New, raw, nil, d.purpose, d.bytes)
		if err == nil {
			err = d.use(derived)
		}
		if err != nil {
			return key{}, fmt.Errorf("cannot be used: %w", err)
		}
	}
	return k, nil
}

func gcm(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// plain is what is encrypted of a credential.
type plain struct {
	Reader   digest.DigestID `json:"reader"`
	Address  string          `json:"address"`
	Hidden   bool            `json:"hidden,omitempty"`
	User     string          `json:"user,omitempty"`
	Password string          `json:"password,omitempty"`
	Token    string          `json:"token,omitempty"`
}

func (k key) seal(c digest.Credential) (string, error) {
	text, err := json.Marshal(plain(c))
	if err != nil {
		return "", fmt.Errorf("sealing a credential: %w", err)
	}
	return k.encrypt(text, ""), nil
}

// encrypt seals bytes of a kind, so that what was sealed as one is never opened as another.
func (k key) encrypt(text []byte, kind string) string {
	prefix := version + k.id + "."
	return prefix + base64.RawURLEncoding.EncodeToString(k.aead.Seal(nil, nil, text, []byte(prefix+kind)))
}

// decrypt opens what encrypt has sealed.
func (k key) decrypt(sealed, kind string) ([]byte, bool) {
	prefix := version + k.id + "."
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(sealed, prefix))
	if err != nil {
		return nil, false
	}
	text, err := k.aead.Open(nil, nil, raw, []byte(prefix+kind))
	return text, err == nil
}

func (k key) open(sealed string) (c digest.Credential, err error) {
	text, ok := k.decrypt(sealed, "")
	if !ok {
		return c, errDamaged
	}
	var p plain
	if err := json.Unmarshal(text, &p); err != nil {
		return c, errDamaged
	}
	return digest.Credential(p), nil
}

// nameOf tells the feed of a credential from all others: by who reads it, its address and
// the name there. A new password, or a new token, is that of the same feed.
func (k key) nameOf(c digest.Credential) string {
	h := hmac.New(sha256.New, k.name)
	kind := "open"
	switch {
	case c.Token != "":
		kind = "bearer"
	case c.User != "" || c.Password != "":
		kind = "basic"
	}
	for _, part := range []string{fmt.Sprint(c.Reader), c.Address, kind, c.User} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
		h.Write([]byte(part))
	}
	const nameBytes = 10
	return base32Lower.EncodeToString(h.Sum(nil)[:nameBytes])
}

// errDamaged is for what was sealed and cannot be opened.
var errDamaged = &digest.Error{Kind: digest.Invalid, Message: "its password, as it is stored, is damaged; give it anew"}

// idOf is the key that something is sealed with.
func idOf(sealed string) string {
	rest, _ := strings.CutPrefix(sealed, version)
	id, _, _ := strings.Cut(rest, ".")
	return id
}
