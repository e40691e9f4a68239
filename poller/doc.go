// Package poller asks feeds for news, politely: the first time by one plain
// GET, afterwards by conditional HEAD and conditional GET, with what was
// learned of each server remembered in the feed's record. It holds every
// manner in one place. When a feed is asked is decided without looking at
// anything but its record (pure):
//
//   - askable.go: from when it may be asked, in one statement of the rule
//   - schedule.go: when it is asked for the midnight of a reader, spread
//   - extrapoll.go: when it is asked apart from the midnights, because it failed,
//     publishes more in a day than its document holds, or wants midnight skipped
//   - freshness.go: what Cache-Control, Expires and Retry-After say
//   - interval.go: how often we ask at most by our own manners, and how often a
//     feed has to be asked whose posts would be lost otherwise
//   - penalty.go: what an error costs, and when 410 is believed
//   - illness.go: for how long a feed fails before its readers are told, and why
//   - domain.go: how slowly the feeds of one domain are asked after it limited us
//   - status.go: all of it in words
//
// And how it is asked:
//
//   - poll.go, learn.go: one look at one feed, and what it teaches
//   - fetch.go, redirect.go, body.go, error.go: one request, its redirects (and
//     when a feed has moved), its body, and why it failed
//   - pacing.go, queue.go: one request in flight for each host, spaced, across workers
//   - robots.go: what a robots.txt says to us by our name
//   - guard.go, transport.go: no connection to an address that is not public, and
//     one address a poll
//   - topic.go: who pushes a feed, by its own word
//   - instead.go: what is done where a page stands in a feed's place
//   - find.go, search.go, behind.go: from an address that a person typed to a feed
//   - searcherror.go: why a search finds none
//   - listed.go: the first poll of an account that a list names
//   - activitypub.go, activitypub_move.go, sign.go: accounts of the fediverse, those that
//     move, and requests that are signed
//   - more.go: the pages and posts of an account beyond the page that is its feed
//   - sound.go: a file that is heard, passed on as it comes
//   - picture.go, picturequeue.go: one picture of a post, for a reader who waits
//
// Nothing here stores anything: a poll is handed a record and gives one back.
package poller
