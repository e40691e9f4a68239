// Package poller polls feeds. The first poll of a feed is one plain GET. Later polls are conditional HEAD and GET
// requests. The record of a feed stores what the poller has learned about its server. All rules for polite requests
// are in this package. These files decide when to poll, from the record of a feed alone (pure):
//
//   - askable.go: the earliest time of the next poll
//   - schedule.go: the poll for the midnight of a reader, spread over the poll window
//   - extrapoll.go: polls between the midnights, for a feed that failed, that publishes more in a day than its document
//     holds, or whose skipHours include midnight
//   - freshness.go: Cache-Control, Expires and Retry-After
//   - interval.go: the least and the greatest interval of a feed
//   - penalty.go: the pause after an error, and when 410 is final
//   - illness.go: how long a feed fails before its readers learn it
//   - domain.go: the pace of the feeds of a domain or an IP address after refusals
//   - status.go: all of this in words
//
// These files poll:
//
//   - poll.go, learn.go: one poll of one feed, and the facts that it learns
//   - fetch.go, redirect.go, body.go, error.go: one request, its redirects and moves, its body, and its errors
//   - pacing.go, queue.go: one request in flight for each host, with pauses, across workers
//   - robots.go: the rules of a robots.txt for our name
//   - guard.go, transport.go: no connection to an address that is not public, and one address of a host for a poll
//   - topic.go: the hub that a feed names
//   - instead.go: a page in the place of a feed
//   - find.go, search.go, behind.go: from an address that a person typed to a feed
//   - searcherror.go: why a search finds none
//   - listed.go: the first poll of an account that a list names
//   - activitypub.go, activitypub_move.go, sign.go: accounts of the fediverse, their moves, and signed requests
//   - more.go: the pages and posts of an account beyond the page that is its feed
//   - sound.go: a stream of the sound of a post
//   - picture.go, picturequeue.go: one picture of a post, for a reader who waits
//   - picturelook.go: the first bytes of a picture, before an edition shows it
//
// The package stores nothing: a poll takes a record and returns the new one.
package poller
