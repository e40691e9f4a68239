package poller

import (
	"cmp"
	"strings"

	"digest"
	"digest/feed"
	"digest/push"
)

// noteTopic records the hubs that an answer names: in its Link fields or in the document. Without a
// document (nil), the last document's hubs stay, unless the fields name others.
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
}

// NoteTopic records the hubs that a stored document from an address names.
func NoteTopic(f *digest.Feed, doc *feed.Document, address string) {
	if f.Hubs == "" {
		setTopic(f, push.Topic{URL: doc.Self, Hubs: doc.Hubs}, address)
	}
}

// setTopic stores a topic and its hubs, if they are valid. The topic must be on the document's site.
// Otherwise a hub could push another publisher's posts (I9). A private feed, and a feed that is about to
// move to another site, has no hubs.
func setTopic(f *digest.Feed, said push.Topic, address string) {
	topic, hubs := cmp.Or(said.URL, address), push.Hubs(said.Hubs)
	leaving := f.MovedTo != "" && !feed.SameSite(f.URL, f.MovedTo)
	if len(hubs) == 0 || !feed.SameSite(topic, address) || leaving || digest.IsPrivate(f.URL) || f.Sealed != "" {
		f.Topic, f.Hubs = "", ""
		return
	}
	f.Topic, f.Hubs = topic, strings.Join(hubs, " ")
}
