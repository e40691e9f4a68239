package poller

import (
	"cmp"
	"strings"

	"digest"
	"digest/feed"
	"digest/push"
)

// noteTopic takes in what an answer says of who pushes the feed: its Link fields, or else the
// document. Without one (nil) what the last document said stands, unless the fields say
// otherwise.
func noteTopic(f *digest.Feed, a *answer, doc *feed.Document) {
	said := push.LinkedTopic(a.header.Values("Link"), a.address)
	if doc == nil && len(said.Hubs) == 0 {
		return
	}
	within := push.Topic{URL: f.Topic}
	if doc != nil {
		within = push.Topic{URL: doc.Self, Hubs: doc.Hubs}
	}
	setTopic(f, said.Or(within), a.address)
	if doc != nil {
		setCloud(f, doc)
	}
}

// NoteTopic takes in what a stored document, found at an address, says of who pushes its feed.
func NoteTopic(f *digest.Feed, doc *feed.Document, address string) {
	if f.Hubs == "" {
		setTopic(f, push.Topic{URL: doc.Self, Hubs: doc.Hubs}, address)
	}
	setCloud(f, doc)
}

// setTopic decides what is believed of it. Hubs know a document by a name of its own site:
// whatever else it says it is, another publisher's posts would come under its name (I9). A feed
// that is asked with something secret, or is about to move to another site, has no hubs.
func setTopic(f *digest.Feed, said push.Topic, address string) {
	topic, hubs := cmp.Or(said.URL, address), push.Hubs(said.Hubs)
	leaving := f.MovedTo != "" && !feed.SameSite(f.URL, f.MovedTo)
	if len(hubs) == 0 || !feed.SameSite(topic, address) || leaving || digest.IsPrivate(f.URL) || f.Sealed != "" {
		f.Topic, f.Hubs = "", ""
		return
	}
	f.Topic, f.Hubs = topic, strings.Join(hubs, " ")
}

// setCloud takes in where a document has programs register that want to be told of its news
// (rssCloud). Nobody is told of a feed that is asked with something secret.
func setCloud(f *digest.Feed, doc *feed.Document) {
	f.Cloud = doc.Cloud
	if digest.IsPrivate(f.URL) || f.Sealed != "" {
		f.Cloud = ""
	}
}
