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

// An Authorship says whether it was our hub that sent a body.
type Authorship string

// Whose a body may be.
const (
	Genuine  Authorship = "genuine"  // signed with the secret that we gave the hub
	Forged   Authorship = "forged"   // signed otherwise
	Unsigned Authorship = "unsigned" // not signed at all
)

// SignatureField is the header field in which hubs sign (WebSub section 7.1).
const SignatureField = "X-Hub-Signature"

// Author says who has sent a body, by its signature: "sha256=" and the HMAC in
// hexadecimal digits. Those are compared in a time that tells nothing of where they differ.
// Without a secret nothing is genuine.
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

// algorithmNamed gives a hash that a hub may sign with; nil: there is none of that name. SHA-1
// is broken for other uses, not for this one (RFC 6151), and many hubs know no other.
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
