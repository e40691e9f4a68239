package doctor

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"digest"
	"digest/internal/dmarc"
	"digest/mailer"
)

// dkim checks whether emails are signed, and whether receivers find the key of the signature (RFC 6376).
func (x *checker) dkim(ctx context.Context) Finding {
	domain := domainOf(x.From)
	key, found := x.signingKey()
	if !found {
		return x.noKey(domain)
	}
	name, value, err := mailer.DKIMRecord(key)
	if err != nil {
		return broken(err)
	}
	published, err := x.names.texts(ctx, name)
	if err != nil {
		return unasked(name, err)
	}
	f := judgeKey(key, published)
	if f.Status == Wrong {
		f.note(Wrong, "", fmt.Sprintf("publish at %s the one TXT record: %s", name, value))
	}
	return f
}

func (x *checker) noKey(domain string) Finding {
	var others []string
	idle := ""
	for _, k := range x.Database.Keys {
		if mailer.Covers(k, domain) {
			idle = k.Domain + " " + k.Selector
		} else if !slices.Contains(others, k.Domain) {
			others = append(others, k.Domain)
		}
	}
	switch {
	case idle != "":
		return verdict(Wrong, fmt.Sprintf("there is a key for %s, and it is not in use: mail goes out unsigned",
			domain), "once its record is published, run: digest dkim use "+idle)
	case len(others) > 0:
		return verdict(Wrong, fmt.Sprintf("there are keys for %s, and none for %s: mail goes out unsigned",
			strings.Join(others, ", "), domain),
			"run: digest dkim new "+domain+"; or send from an address at "+others[0])
	}
	return verdict(Warn, "there is no key, so digest does not sign emails, and large providers reject many unsigned emails; ignore this if the mail server signs them for "+domain,
		"run: digest dkim new "+domain)
}

// LookForKey checks whether receivers find a key. The finding is OK if they do. answered says whether the DNS answered,
// also if it has no record. LookForKey looks up one TXT record.
func LookForKey(ctx context.Context, names interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}, key digest.DKIMKey) (f Finding, answered bool) {
	name, _, err := mailer.DKIMRecord(key)
	if err != nil {
		return broken(err), false
	}
	published, err := names.LookupTXT(ctx, rooted(name))
	if err != nil && !isNone(err) {
		return unasked(name, err), false
	}
	return judgeKey(key, published), true
}

func judgeKey(key digest.DKIMKey, published []string) Finding {
	name := key.Selector + "._domainkey." + key.Domain
	switch len(published) {
	case 0:
		return verdict(Wrong, "there is no record at "+name, "")
	case 1:
	default:
		return verdict(Wrong, fmt.Sprintf("there are %d records at %s, and receivers may use any of them",
			len(published), name), "")
	}
	tags, ok := dmarc.ParseTags(published[0])
	_, hasVersion := tags["v"]
	public, hasKey := tags["p"]
	switch {
	case !ok || !hasKey || hasVersion && !dmarc.HasVersion(published[0], "DKIM1"):
		return verdict(Wrong, fmt.Sprintf("the record at %s isn’t valid (%s)", name, cut(published[0])), "")
	case public == "":
		return verdict(Wrong, fmt.Sprintf("the record at %s revokes the key (p= is empty)", name), "")
	case tags["k"] != "" && tags["k"] != "rsa":
		return verdict(Wrong, fmt.Sprintf("the record at %s is for a different type of key (k=%s)", name,
			cut(tags["k"])), "")
	case !sameKey(key, public):
		return verdict(Wrong, fmt.Sprintf("the record at %s has a different key, or only part of our key", name), "")
	case tags["h"] != "" && !listed(tags["h"], "sha256"):
		return verdict(Wrong, fmt.Sprintf("the record at %s doesn’t allow SHA-256 (h=%s)", name, cut(tags["h"])), "")
	case tags["s"] != "" && !listed(tags["s"], "*") && !listed(tags["s"], "email"):
		return verdict(Wrong, fmt.Sprintf("the record at %s is not for email (s=%s)", name, cut(tags["s"])), "")
	case listed(tags["t"], "y"):
		return verdict(Warn, fmt.Sprintf(
			"the record at %s is in test mode (t=y), so receivers treat emails as unsigned", name),
			"remove t=y from the record")
	}
	return verdict(OK, "emails are signed, and the key is published at "+name, "")
}

// sameKey compares the key itself, because it can be encoded in two ways and with any white space (RFC 6376 §3.6.1,
// erratum 3017).
func sameKey(key digest.DKIMKey, published string) bool {
	ours, err := x509.ParsePKCS8PrivateKey(key.PrivateKey)
	if err != nil {
		return false
	}
	private, ok := ours.(*rsa.PrivateKey)
	if !ok {
		return false
	}
	theirs := readPublic(published)
	return theirs != nil && private.PublicKey.Equal(theirs)
}

func readPublic(published string) *rsa.PublicKey {
	der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(published), ""))
	if err != nil {
		return nil
	}
	if parsed, err := x509.ParsePKIXPublicKey(der); err == nil {
		public, _ := parsed.(*rsa.PublicKey)
		return public
	}
	public, _ := x509.ParsePKCS1PublicKey(der)
	return public
}

func cut(s string) string { return digest.Shortened(s, 120) }

// listed reports whether a value is in a list such as "sha1:sha256".
func listed(list, value string) bool {
	for item := range strings.SplitSeq(list, ":") {
		if strings.TrimSpace(item) == value {
			return true
		}
	}
	return false
}
