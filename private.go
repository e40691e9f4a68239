package digest

import (
	"fmt"
	"io"
	"net/url"
	"strings"
)

// A Credential is the credential for polls of a private feed. It is unencrypted only on its way from the reader to
// package seal, and from there into a request. Formatting or encoding one shows nothing of it.
type Credential struct {
	Reader  DigestID // who entered it, and the only reader of the feed
	Address string   // of the feed, in normal form
	Hidden  bool     // the address itself is secret

	User, Password string // HTTP Basic (RFC 7617)
	Token          string // bearer token (RFC 6750)
}

// Format implements fmt.Formatter and hides the credential for every verb.
func (Credential) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "(credential)") }

// MarshalText implements encoding.TextMarshaler and hides the credential.
func (Credential) MarshalText() ([]byte, error) { return []byte("(credential)"), nil }

// IsEmpty reports whether a credential has no secret.
func (c Credential) IsEmpty() bool {
	return !c.Hidden && c.User == "" && c.Password == "" && c.Token == ""
}

// WithUser returns the address of the feed with name and password, for a list of feeds.
func (c Credential) WithUser() string {
	if c.User == "" && c.Password == "" {
		return c.Address
	}
	scheme, rest, _ := strings.Cut(c.Address, "://")
	return scheme + "://" + url.UserPassword(c.User, c.Password).String() + "@" + rest
}

// hiddenPath replaces a secret path and query.
const hiddenPath = "/…"

// privateMark separates the shown address of a private feed from its name. Other addresses in normal form have no
// fragment, so they never contain it.
const privateMark = "#private-"

// PrivateAddress returns the address under which a private feed is stored. It has no secret, and the name makes it
// unique.
func (c Credential) PrivateAddress(name string) string { return c.Shown() + privateMark + name }

// Shown returns the address of the feed without its secret parts.
func (c Credential) Shown() string {
	if c.Hidden {
		return Site(c.Address) + hiddenPath
	}
	return c.Address
}

// IsPrivate reports whether an address belongs to a private feed, which needs a credential and has one reader.
func IsPrivate(address string) bool { return strings.Contains(address, privateMark) }

// IsHidden reports whether an address belongs to a private feed with a secret address.
func IsHidden(address string) bool {
	return IsPrivate(address) && PublicAddress(address) == Site(address)+hiddenPath
}

// PublicAddress returns the address of a feed for pages and exports, without the name of a private feed, and without
// user name and password.
func PublicAddress(address string) string {
	address, _, _ = strings.Cut(address, privateMark)
	return WithoutCredentials(address)
}

// Site returns the scheme and host of an address, with its port if it has one.
func Site(address string) string {
	u, err := url.Parse(withoutPath(address))
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// withoutPath returns an address without its path, because net/url rejects a % there that begins no escape.
func withoutPath(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	end := strings.IndexAny(rest, "/?#")
	if !found || end < 0 {
		return address
	}
	return scheme + "://" + rest[:end]
}

// SplitCredential removes name and password from an address in normal form and returns them as a Credential.
func SplitCredential(address string) (bare string, c Credential) {
	u, err := url.Parse(withoutPath(address))
	if err != nil || u.User == nil {
		return address, Credential{}
	}
	c.User = u.User.Username()
	c.Password, _ = u.User.Password()
	scheme, rest, _ := strings.Cut(address, "://")
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	return scheme + "://" + authority[strings.LastIndexByte(authority, '@')+1:] + path, c
}
