// Package poller asks feeds for news, politely: the first time by one plain
// GET, afterwards by conditional HEAD and conditional GET, with what was
// learned of each server remembered in the feed's record. It holds every
// manner in one place. When a feed is asked is decided without looking at
// anything but its record (pure):
//
//   - schedule.go, skip.go: for the midnight of a reader, spread, and outside
//     the times that the feed wants skipped
//   - extrapoll.go, interval.go: beside the midnights, for what failed, and for what
//     outruns its readers
//   - freshness.go: what Cache-Control, Expires and Retry-After say
//   - interval.go, penalty.go, gone.go: what we keep to by ourselves, what an
//     error costs, and when 410 is believed
//   - status.go: all of it in words
//
// And how it is asked:
//
//   - poll.go, learn.go, move.go: one look at one feed, and what it teaches
//   - fetch.go, redirect.go, body.go, codings.go, error.go: one request, its
//     redirects, its body, and why it failed
//   - hostlease.go, pacer.go: one request in flight for each host, spaced
//   - robots.go, robotscache.go: what a robots.txt says to us by our name
//   - guard.go, networks.go, pins.go, client.go: no connection to an address that
//     is not public, and one address a poll
//   - find.go, candidates.go: from an address that a person typed to a feed
//   - picture.go, picturetype.go, picturequeue.go: one picture of a post, for a
//     reader who waits for it
//
// Nothing here stores anything: a poll is handed a record and gives one back.
package poller
