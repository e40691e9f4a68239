package web_test

import (
	"strconv"
	"time"

	"digest"
	"digest/store"
)

// fails records that a subscribed feed has failed for ten days, and returns the path of its page.
func (r *room) fails(address string) string {
	r.t.Helper()
	f, err := r.store.Feeds.FeedByURL(r.t.Context(), address)
	r.must(err)
	f.Errors, f.FailingSince, f.LastStatus, f.LastError = 12, r.now.Add(-10*24*time.Hour), 404, "404 Not Found"
	f.FirstErrorAt = f.FailingSince
	_, err = r.store.Feeds.Record(r.t.Context(), r.now, []store.Polled{{Feed: f, Illness: digest.NotThere}})
	r.must(err)
	return "/feeds/" + strconv.FormatInt(int64(f.ID), 10)
}

func feedAt(r *room, address string) digest.Feed {
	r.t.Helper()
	f, err := r.store.Feeds.FeedByURL(r.t.Context(), address)
	r.must(err)
	return f
}
