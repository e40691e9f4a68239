package digest

import (
	"fmt"
	"io"
	"net/url"
	"strings"
)

// A Credential is what a private feed is asked with. It is in the clear only on its way
// from who gives it to package seal, and from there into a request: whatever prints one
// prints none of it.
type Credential struct {
	Reader  DigestID // who gave it: nobody else has the feed
	Address string   // of the feed, in normal form
	Hidden  bool     // the address is a secret itself

	User, Password string // HTTP Basic (RFC 7617)
	Token          string // bearer (RFC 6750)
}

// Format prints nothing of a credential, whatever the verb.
func (Credential) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "(credential)") }

// MarshalText gives nothing of a credential to encoders.
func (Credential) MarshalText() ([]byte, error) { return []byte("(credential)"), nil }

// IsEmpty reports whether there is nothing secret in a credential.
func (c Credential) IsEmpty() bool {
	return !c.Hidden && c.User == "" && c.Password == "" && c.Token == ""
}

// WithUser is the address of the feed with name and password in it, for a list of feeds.
func (c Credential) WithUser() string {
	if c.User == "" && c.Password == "" {
		return c.Address
	}
	scheme, rest, _ := strings.Cut(c.Address, "://")
	return scheme + "://" + url.UserPassword(c.User, c.Password).String() + "@" + rest
}

// hiddenPath stands in the place of a path and a query that are a secret.
const hiddenPath = "/…"

// privateMark begins what follows the shown address of a private feed. No address in
// normal form has a fragment, so that none is that of a private feed.
const privateMark = "#private-"

// PrivateAddress is under which address the feed of a credential is stored: without
// anything secret, and apart from all others by a name.
func (c Credential) PrivateAddress(name string) string { return c.Shown() + privateMark + name }

// Shown is the address of the feed without what is secret.
func (c Credential) Shown() string {
	if c.Hidden {
		return Site(c.Address) + hiddenPath
	}
	return c.Address
}

// IsPrivate reports whether a feed that is stored under an address is a private one:
// asked with a credential, and only for who gave it.
func IsPrivate(address string) bool { return strings.Contains(address, privateMark) }

// IsHidden reports whether it is a private feed whose address is a secret.
func IsHidden(address string) bool {
	return IsPrivate(address) && PublicAddress(address) == Site(address)+hiddenPath
}

// PublicAddress is the address of a feed as pages and exports have it: that of a private
// feed without what tells it from others, and none with a name or a password.
func PublicAddress(address string) string {
	address, _, _ = strings.Cut(address, privateMark)
	return WithoutCredentials(address)
}

// Site is the beginning of an address: scheme and host, with its port if it has one.
func Site(address string) string {
	u, err := url.Parse(withoutPath(address))
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// withoutPath returns an address up to its path, in which net/url would refuse a % that begins no escape.
func withoutPath(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	end := strings.IndexAny(rest, "/?#")
	if !found || end < 0 {
		return address
	}
	return scheme + "://" + rest[:end]
}

// SplitCredential takes name and password out of an address in normal form.
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
