package feed

import (
	"encoding/json"
	"net/url"
	"strings"
)

// webFinger is where a host is asked for an account (RFC 7033 section 4).
const webFinger = "/.well-known/webfinger?resource="

// webFingerURL gives where an account of the fediverse is asked for that a person named:
// @ann@example.org, acct:ann@example.org; "" if it is none.
func webFingerURL(typed string) string {
	account, found := strings.CutPrefix(typed, "@")
	if !found {
		account, found = strings.CutPrefix(typed, "acct:")
	}
	name, host, both := strings.Cut(strings.TrimPrefix(account, "@"), "@")
	if !found || !both || name == "" || strings.ContainsAny(name, "/:?#") || strings.ContainsAny(host, "/@?# ") || !strings.ContainsAny(host, ".:") && host != "localhost" {
		return ""
	}
	normal, err := NormalURL("https://" + host)
	if err != nil {
		return ""
	}
	host = strings.TrimSuffix(strings.TrimPrefix(normal, "https://"), "/")
	return "https://" + host + webFinger + url.QueryEscape("acct:"+name+"@"+host)
}

// ProfileAccount gives where the account is asked for whose page has an address such as
// https://example.org/@ann or /users/ann; "" if the address does not look like one.
func ProfileAccount(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" {
		return ""
	}
	path := strings.Trim(u.Path, "/")
	for _, before := range []string{"@", "users/", "u/", "author/", "profile/", "accounts/", "a/"} {
		name, found := strings.CutPrefix(path, before)
		if name, _, _ := strings.Cut(name, "@"); found && name != "" && !strings.Contains(name, "/") {
			return u.Scheme + "://" + u.Host + webFinger + url.QueryEscape("acct:"+name+"@"+u.Host)
		}
	}
	return ""
}

// WebFingerAccount gives the account that an address asks for, as ann@example.org; "" if it
// is no address of WebFinger.
func WebFingerAccount(address string) string {
	_, resource, found := strings.Cut(address, webFinger)
	account, err := url.QueryUnescape(resource)
	if !found || err != nil {
		return ""
	}
	return strings.TrimPrefix(account, "acct:")
}

// ReadWebFinger gives the actor of an account and the page where people read it, as a host
// says (RFC 7033 section 4.4); "" for what it does not say.
func ReadWebFinger(body []byte) (actor, page string) {
	var answer struct {
		Links []struct{ Rel, Type, Href asValue }
	}
	if json.Unmarshal(body, &answer) != nil {
		return "", ""
	}
	for _, link := range answer.Links[:min(len(answer.Links), maxInList)] {
		typ, _, _ := strings.Cut(link.Type.text(), ";")
		href := link.Href.text()
		switch {
		case !isWeb(href):
		case link.Rel.text() == "self" && isActorType(strings.TrimSpace(typ)) && actor == "":
			actor = href
		case link.Rel.text() == "http://webfinger.net/rel/profile-page" && page == "":
			page = href
		}
	}
	return actor, page
}

// IsOutbox reports whether an address looks like that of an outbox of ActivityPub.
func IsOutbox(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	return strings.HasSuffix(path, "/outbox")
}
