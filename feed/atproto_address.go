package feed

import (
	"net/url"
	"strconv"
	"strings"

	"digest"
)

// The service of Bluesky that answers without an account (docs.bsky.app). All feeds of
// Bluesky are asked there, so that they share its pace.
const (
	atAuthorFeed = "https://public.api.bsky.app/xrpc/app.bsky.feed.getAuthorFeed?actor="
	atWanted     = "&filter=posts_and_author_threads&limit=50"
)

// AskedURL returns the address at which a search for a typed feed begins. For an account of Bluesky it is an address of
// the service (@ann.bsky.social, at://did:plc:…, its page). For an account of the fediverse (@ann@example.org) it is
// the WebFinger address, for the page of a platform its feed (platformFeed), and for all others NormalURL.
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
			"%s lacks the server of the account; did you mean %s?",
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

// ATProtoURL gives the address of the feed of an account, named by its handle or, for good,
// by its DID.
func ATProtoURL(actor string) string { return atAuthorFeed + url.QueryEscape(actor) + atWanted }

// ATProtoActor gives the account of whom an address is the feed, its handle or its DID;
// "" if it is none.
func ATProtoActor(address string) string {
	actor, ok := strings.CutPrefix(address, atAuthorFeed)
	actor, _, _ = strings.Cut(actor, "&")
	actor, err := url.QueryUnescape(actor)
	if !ok || err != nil {
		return ""
	}
	return actor
}

// IsDID reports whether an account is named by what never changes (w3.org/TR/did).
func IsDID(actor string) bool {
	id, ok := strings.CutPrefix(actor, "did:")
	method, id, found := strings.Cut(id, ":")
	return ok && found && (method == "plc" || method == "web") && id != "" && len(id) <= 253 &&
		strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == ""
}

// Handle gives the handle that a person may have meant who typed nothing but a domain; "" if
// it is more than that.
func Handle(typed string) string {
	name := strings.TrimSuffix(cleanAddress(typed), "/")
	if strings.ContainsAny(name, "/:@?#") {
		return ""
	}
	return actorOf(name)
}

// atActor gives the account that a person named; "" if it is none.
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

// atClients are sites that show accounts of Bluesky at addresses such as /profile/ann.example.
var atClients = setOf("bsky.app main.bsky.dev deer.social blacksky.community zeppelin.social " +
	"catsky.social witchsky.app")

// atPage returns the account of Bluesky that a page shows, or whose post it shows. The page is at a known
// client, or has a name that only Bluesky assigns, or is at the host of that name. It returns "" for other pages.
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

// ownHandles is the end of the handles that Bluesky assigns.
const ownHandles = ".bsky.social"

// BlueskyAccount returns the account whose RSS feed at Bluesky is the only feed that a page offers; "": none.
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

// actorOf gives the account with which a path begins.
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
