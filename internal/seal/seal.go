// Package seal encrypts the credentials of private feeds in the database with keys from a separate file, so that the
// database alone does not reveal them.
//
// A key file has one key for each line, 32 random bytes in base64. Lines that begin with # are comments. The first key
// encrypts, and all keys decrypt. To rotate keys, digest key rotate adds a new key before the old one and encrypts all
// values again. The old key stays for backups.
//
// A stored value is "1.ID.TEXT". ID identifies the key with 40 bits of its hash. TEXT is AES-256-GCM with a random
// nonce (NIST SP 800-38D), which also detects changes.
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

const keyBytes = 32

// version is the prefix of encrypted values, and is authenticated with them.
const version = "1."

type key struct {
	id   string
	aead cipher.AEAD
	name []byte // derives names of private feeds
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func parseKey(text string) (key, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != keyBytes {
		return key{}, fmt.Errorf("is not a key of %d bytes in base64", keyBytes)
	}
	var k key
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

// encrypt encrypts bytes of a kind. decrypt rejects them for any other kind.
func (k key) encrypt(text []byte, kind string) string {
	prefix := version + k.id + "."
	return prefix + base64.RawURLEncoding.EncodeToString(k.aead.Seal(nil, nil, text, []byte(prefix+kind)))
}

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

// nameOf returns a name that is unique for each reader, address and user name. A new password or token does not change
// it.
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

var errDamaged = digest.Errorf(digest.Invalid, "its password, as it is stored, is damaged; give it anew")

// idOf returns the ID of the key that encrypted a value.
func idOf(sealed string) string {
	rest, _ := strings.CutPrefix(sealed, version)
	id, _, _ := strings.Cut(rest, ".")
	return id
}
