package main

import (
	"cmp"
	"fmt"

	"digest"
	"digest/store"
	"digest/subscribe"
)

type subscribeCmd struct {
	Email string   `arg:""`
	URL   []string `arg:"" name:"url" help:"Addresses of feeds, or of pages that have one."`
}

// Run subscribes a reader to the feed behind each address. One bad address
// does not stop the others.
func (c subscribeCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		_, d, err := a.reader(st, c.Email)
		if err != nil {
			return err
		}
		subscriber := a.subscriber(st)
		var failed []error
		for _, address := range c.URL {
			if err := a.subscribe(subscriber, d.ID, address); err != nil {
				failed = append(failed, err)
			}
			if a.soft.Err() != nil {
				break
			}
		}
		return joinLines(failed)
	})
}

func (a *app) subscribe(subscriber *subscribe.Subscriber, id digest.DigestID, address string) error {
	f, created, err := subscriber.Subscribe(a.soft, id, address)
	if err != nil {
		return err
	}
	title := cmp.Or(f.Title, f.URL)
	if !created {
		title += " (was subscribed already)"
	}
	if f.State == digest.FeedDead || f.State == digest.FeedGone {
		title += fmt.Sprintf(" (%s: it was given up, and is asked once more)", f.State)
	}
	return a.say(map[string]any{"url": digest.WithoutCredentials(f.URL), "title": f.Title, "created": created}, "%s", plain(title))
}

type unsubscribeCmd struct {
	readerArg
	URL string `arg:"" name:"url"`
}

// Run ends a subscription.
func (c unsubscribeCmd) Run(a *app, st *store.Store, u digest.User, d digest.Digest) error {
	f, err := a.feedAt(st, c.URL)
	if err != nil {
		return err
	}
	if err := st.Unsubscribe(a.soft, d.ID, f.ID); err != nil {
		return err
	}
	return a.say(map[string]any{"email": u.Email, "url": digest.WithoutCredentials(f.URL), "subscribed": false},
		"%s no longer takes %s", u.Email, plain(f.URL))
}
