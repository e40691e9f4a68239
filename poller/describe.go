package poller

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"digest"
	"digest/feed"
)

// describeFeed copies title, site and intervals of a document to the record of its feed.
func describeFeed(f *digest.Feed, doc *feed.Document, now time.Time) {
	f.Kind = string(doc.Kind)
	if doc.Link != "" || doc.Kind != feed.ActivityStreams { // an outbox does not name the page of its account
		f.SiteURL = feed.CleanURL(doc.Link)
	}
	if doc.Kind != feed.ActivityStreams { // nameAfter copies it from the account
		f.Me = doc.OwnPages()
	}
	f.Language = feed.Language(doc.Language)
	if doc.Title != "" {
		f.Title = doc.Title
	}
	f.Parser = feed.Version
	f.NewestAt = latest(f.NewestAt, doc.NewestAt(now))
	f.DocInterval = doc.Interval()
	f.SkipHours, f.SkipDays = doc.SkipHours, doc.SkipDays
}

// bodyHash returns a hash by which a poll recognises the same document. It is the hash of the bytes. For a
// page or an account it is the hash of the posts, because each answer has other words around them.
func bodyHash(a *answer, doc *feed.Document) string {
	if a.hash != "" {
		return a.hash
	}
	if doc.Kind == feed.HFeed || doc.Kind == feed.ATProto || doc.Kind == feed.ActivityStreams {
		return doc.PostsHash()
	}
	return hashOf(a.body)
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
