package feed

import (
	"encoding/json"
	"net/url"
	"strings"
)

// webFinger is the path at which a host describes an account (RFC 7033 section 4).
const webFinger = "/.well-known/webfinger?resource="

// webFingerURL returns the WebFinger address of an account that a person typed: @ann@example.org, ann@example.org,
// acct:ann@example.org, !group@example.org, or a page of another server that shows the account. It returns "" for
// anything else.
func webFingerURL(typed string) string {
	account := typed
	for _, mark := range []string{"@", "acct:", "!"} {
		if rest, found := strings.CutPrefix(typed, mark); found {
			account = strings.TrimPrefix(rest, "@")
			break
		}
	}
	name, host, both := strings.Cut(account, "@")
	if !both || strings.Trim(name, accountLetters) != "" && account == typed {
		return shownAccount(typed)
	}
	return accountAt(name, host)
}

const accountLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// accountAt returns the WebFinger address of an account; "": the name or the host is not valid.
func accountAt(name, host string) string {
	if name == "" || strings.ContainsAny(name, "/:?#") || strings.ContainsAny(host, "/@?# ") ||
		!strings.ContainsAny(host, ".:") && host != "localhost" {
		return ""
	}
	normal, err := NormalURL("https://" + host)
	if err != nil {
		return ""
	}
	host = strings.TrimSuffix(strings.TrimPrefix(normal, "https://"), "/")
	return "https://" + host + webFinger + url.QueryEscape("acct:"+name+"@"+host)
}

// shownAccount returns the WebFinger address of an account that another server shows at an address such as
// https://home.example/@ann@example.org or /c/boats@example.org, or at an address of one of its posts. The account is
// at example.org, never at home.example. shownAccount returns "" for other addresses.
func shownAccount(address string) string {
	u, err := url.Parse(withScheme(address))
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	account, rest := profileName(u.Path)
	name, host, both := strings.Cut(account, "@")
	// Other programs have such pages too, with email addresses instead of accounts.
	for _, anybodys := range []string{"/author/", "/profile/", "/accounts/"} {
		both = both && !strings.HasPrefix(u.Path, anybodys)
	}
	if !both || rest != "" && !strings.HasPrefix(u.Path, "/@") || strings.Trim(name, accountLetters) != "" ||
		!strings.Contains(host, ".") {
		return ""
	}
	return accountAt(name, host)
}

// profilePaths precede the names of accounts and groups in the addresses of their pages.
var profilePaths = strings.Fields("@ users/ u/ author/ profile/ accounts/ a/ c/ m/ video-channels/")

// profileName returns the account in the path of a page, and the rest of the path.
func profileName(path string) (account, rest string) {
	path = strings.Trim(path, "/")
	for _, before := range profilePaths {
		if name, found := strings.CutPrefix(path, before); found && name != "" {
			account, rest, _ = strings.Cut(name, "/")
			return strings.TrimPrefix(account, "@"), rest
		}
	}
	return "", ""
}

// ProfileAccount returns the WebFinger address of the account with a page such as https://example.org/@ann or
// /users/ann; "" for other addresses.
func ProfileAccount(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" {
		return ""
	}
	account, rest := profileName(u.Path)
	switch {
	case account == "" || rest != "":
		return ""
	case strings.Contains(account, "@"):
		return shownAccount(address)
	case strings.HasPrefix(strings.Trim(u.Path, "/"), "c/"), strings.HasPrefix(strings.Trim(u.Path, "/"), "m/"):
		return "" // a category on most sites
	}
	return u.Scheme + "://" + u.Host + webFinger + url.QueryEscape("acct:"+account+"@"+u.Host)
}

// AuthorOf returns the WebFinger address of the author of a post at an address such as https://example.org/@ann/112
// or /users/ann/112; "" for other addresses.
func AuthorOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(u.Path, "/@") && !strings.HasPrefix(u.Path, "/users/") {
		return ""
	}
	account, rest := profileName(u.Path)
	if account == "" || rest == "" || strings.Contains(account, "@") {
		return ""
	}
	return u.Scheme + "://" + u.Host + webFinger + url.QueryEscape("acct:"+account+"@"+u.Host)
}

// WebFingerAccount returns the account in a WebFinger address, as ann@example.org; "" for other addresses.
func WebFingerAccount(address string) string {
	_, resource, found := strings.Cut(address, webFinger)
	account, err := url.QueryUnescape(resource)
	if !found || err != nil {
		return ""
	}
	return strings.TrimPrefix(account, "acct:")
}

// ReadWebFinger returns the actor of an account and its web page from a host's response (RFC 7033 section 4.4); "":
// it lacks them.
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

// IsOutbox reports whether an address looks like an ActivityPub outbox.
func IsOutbox(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	return strings.HasSuffix(path, "/outbox")
}
