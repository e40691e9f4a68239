package push

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"strings"
)

// An Authorship tells whether a body came from the hub that shares the secret.
type Authorship string

// The results of Author.
const (
	Genuine  Authorship = "genuine"  // signed with the secret shared with the hub
	Forged   Authorship = "forged"   // a wrong or unsupported signature
	Unsigned Authorship = "unsigned" // no signature
)

// SignatureField is the header field of a hub's signature (WebSub section 7.1).
const SignatureField = "X-Hub-Signature"

// Author checks the signature of a body: "sha256=" and the HMAC in hexadecimal digits. It compares in
// constant time. With an empty secret it never returns Genuine.
func Author(signature, secret string, body []byte) Authorship {
	signature = strings.TrimSpace(signature)
	if signature == "" {
		return Unsigned
	}
	name, digits, _ := strings.Cut(signature, "=")
	algorithm := algorithmNamed(name)
	if algorithm == nil || secret == "" {
		return Forged
	}
	given, err := hex.DecodeString(strings.TrimSpace(digits))
	if err != nil {
		return Forged
	}
	mac := hmac.New(algorithm, []byte(secret))
	mac.Write(body)
	if !hmac.Equal(given, mac.Sum(nil)) {
		return Forged
	}
	return Genuine
}

// algorithmNamed returns a hash that hubs may sign with, or nil for an unknown name. It accepts SHA-1,
// which is broken for other uses but not as an HMAC (RFC 6151), because many hubs support no other.
func algorithmNamed(name string) func() hash.Hash {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "sha1":
		return sha1.New
	case "sha256":
		return sha256.New
	case "sha384":
		return sha512.New384
	case "sha512":
		return sha512.New
	}
	return nil
}
