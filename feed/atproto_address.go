package feed

import (
	"net/url"
	"strings"
)

// The service of Bluesky that answers without an account (docs.bsky.app). All feeds of
// Bluesky are asked there, so that they share its pace.
const (
	atAuthorFeed = "https://public.api.bsky.app/xrpc/app.bsky.feed.getAuthorFeed?actor="
	atWanted     = "&filter=posts_and_author_threads&limit=50"
)

// AskedURL gives the address under which a feed that a person names is looked for: that of
// the service for an account of Bluesky (@ann.bsky.social, at://did:plc:…, the address of
// its page), that of WebFinger for one of the fediverse (@ann@example.org), that of its feed
// for the page of a platform (platformFeed), else NormalURL.
func AskedURL(typed string) (string, error) {
	if actor := atActor(cleanAddress(typed)); actor != "" {
		return ATProtoURL(actor), nil
	}
	if address := webFingerURL(cleanAddress(typed)); address != "" {
		return address, nil
	}
	normal, err := NormalURL(typed)
	return firstOf(platformFeed(normal), normal), err
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
	page := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://"), "www.")
	if rest, ok := strings.CutPrefix(page, "bsky.app/profile/"); ok && !strings.HasSuffix(rest, "/rss") {
		return actorOf(rest)
	}
	name, at := strings.CutPrefix(s, "@")
	if !strings.ContainsAny(name, ":@/?#") && (at || strings.HasSuffix(strings.ToLower(name), ".bsky.social")) {
		return actorOf(name)
	}
	return ""
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
