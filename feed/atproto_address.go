package feed

import (
	"net/url"
	"strconv"
	"strings"

	"digest"
)

// The request for the posts of an account to Bluesky's public service (docs.bsky.app). All Bluesky feeds use this
// host, so they share its rate limit.
const (
	atAuthorFeed = "https://public.api.bsky.app/xrpc/app.bsky.feed.getAuthorFeed?actor="
	atWanted     = "&filter=posts_and_author_threads&limit=50"
)

// AskedURL returns the address at which the search for a typed feed begins. For a Bluesky account (@ann.bsky.social,
// at://did:plc:…, its page) it is an address of Bluesky's service. For a fediverse account (@ann@example.org) it is
// the WebFinger address. For a page of a known platform it is its feed (platformFeed), and for all others NormalURL.
func AskedURL(typed string) (string, error) {
	plain := unwrapped(cleanAddress(typed))
	if actor := atActor(plain); actor != "" {
		return ATProtoURL(actor), nil
	}
	if address := webFingerURL(plain); address != "" {
		return address, nil
	}
	if name, account := strings.CutPrefix(plain, "@"); account && name != "" &&
		strings.Trim(name, accountLetters) == "" {
		return "", digest.Refuse(digest.Invalid,
			"%s is missing the account’s server; did you mean %s?",
			strconv.Quote(shorten(plain, 100)), "@"+shorten(name, 100)+"@example.social")
	}
	normal, err := NormalURL(plain)
	return firstOf(platformFeed(normal), normal), err
}

// unwrapped returns an address without angle brackets, and with https for the schemes of fediverse programs.
func unwrapped(typed string) string {
	if inner, found := strings.CutPrefix(typed, "<"); found && strings.HasSuffix(inner, ">") {
		typed = strings.TrimSpace(strings.TrimSuffix(inner, ">"))
	}
	for _, scheme := range []string{"web+ap://", "web+activitypub://", "ap://", "activitypub://"} {
		if len(typed) > len(scheme) && strings.EqualFold(typed[:len(scheme)], scheme) {
			return "https://" + typed[len(scheme):]
		}
	}
	if rest, found := strings.CutPrefix(typed, "web+acct:"); found {
		return "acct:" + rest
	}
	return typed
}

// ATProtoURL returns the address of the feed of an account, named by its handle or its permanent DID.
func ATProtoURL(actor string) string { return atAuthorFeed + url.QueryEscape(actor) + atWanted }

// ATProtoActor returns the account, a handle or a DID, whose feed is at address; "": it is no such feed.
func ATProtoActor(address string) string {
	actor, ok := strings.CutPrefix(address, atAuthorFeed)
	actor, _, _ = strings.Cut(actor, "&")
	actor, err := url.QueryUnescape(actor)
	if !ok || err != nil {
		return ""
	}
	return actor
}

// IsDID reports whether actor is a DID, a permanent name of an account (w3.org/TR/did).
func IsDID(actor string) bool {
	id, ok := strings.CutPrefix(actor, "did:")
	method, id, found := strings.Cut(id, ":")
	return ok && found && (method == "plc" || method == "web") && id != "" && len(id) <= 253 &&
		strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == ""
}

// Handle returns the handle in typed if it is only a domain; "": it is more.
func Handle(typed string) string {
	name := strings.TrimSuffix(cleanAddress(typed), "/")
	if strings.ContainsAny(name, "/:@?#") {
		return ""
	}
	return actorOf(name)
}

// atActor returns the account that typed names; "": none.
func atActor(typed string) string {
	s := strings.TrimRight(typed, "/")
	if IsDID(s) {
		return s
	}
	if rest, ok := strings.CutPrefix(s, "at://"); ok {
		return actorOf(rest)
	}
	if actor := atPage(s); actor != "" {
		return actor
	}
	name, at := strings.CutPrefix(s, "@")
	if !strings.ContainsAny(name, ":@/?#") && (at || strings.HasSuffix(strings.ToLower(name), ownHandles)) {
		return actorOf(name)
	}
	return ""
}

// atClients are sites that display Bluesky accounts at addresses such as /profile/ann.example.
var atClients = setOf("bsky.app main.bsky.dev deer.social blacksky.community zeppelin.social " +
	"catsky.social witchsky.app")

// atPage returns the Bluesky account that a page shows, or the author of the post that it shows. The page must be at
// a known client, or have a name that only Bluesky assigns, or be at the host of that name. It returns "" for other
// pages.
func atPage(address string) string {
	scheme, page, found := strings.Cut(address, "://")
	if !found {
		page = scheme
	} else if !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") {
		return ""
	}
	host, path, _ := strings.Cut(page, "/")
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	if name, isOwn := strings.CutSuffix(host, ownHandles); found && isOwn && path == "" &&
		!strings.Contains(name, ".") {
		return actorOf(host)
	}
	rest, found := strings.CutPrefix(path, "profile/")
	if !found || strings.HasSuffix(rest, "/rss") {
		return ""
	}
	actor := actorOf(rest)
	if atClients[host] || IsDID(actor) || strings.HasSuffix(actor, ownHandles) {
		return actor
	}
	return ""
}

// ownHandles is the suffix of the handles that Bluesky assigns.
const ownHandles = ".bsky.social"

// BlueskyAccount returns the account if its RSS feed at Bluesky is the only feed that a page offers; otherwise "".
func BlueskyAccount(offers []Offer) string {
	if len(offers) != 1 {
		return ""
	}
	rest, found := strings.CutPrefix(offers[0].URL, bluesky+"/profile/")
	actor, found2 := strings.CutSuffix(rest, "/rss")
	if !found || !found2 || !IsDID(actor) {
		return ""
	}
	return actor
}

// actorOf returns the account at the beginning of a path.
func actorOf(path string) string {
	actor, _, _ := strings.Cut(path, "/")
	actor, _, _ = strings.Cut(actor, "?")
	handle := strings.ToLower(strings.TrimPrefix(actor, "@"))
	switch {
	case IsDID(actor):
		return actor
	case !strings.Contains(handle, ".") || len(handle) > 253 ||
		strings.Trim(handle, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" || strings.Trim(handle, ".-") != handle:
		return ""
	}
	return handle
}
