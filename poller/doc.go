// Package poller asks feeds for news, politely: the first time by one plain
// GET, afterwards by conditional HEAD and conditional GET, with what was
// learned of each server remembered in the feed's record. It holds every
// manner in one place:
//
//   - policy.go: when a feed may be asked and what an error costs (pure)
//   - freshness.go: what Cache-Control, Expires and Retry-After say (pure)
//   - poll.go, learn.go, move.go: one look at one feed, and what it teaches
//   - fetch.go, redirect.go, body.go, trouble.go: one request, its redirects, its
//     body, and why it failed
//   - pacer.go: one request in flight for each host, spaced
//   - guard.go, networks.go, client.go: no connection to an address that is not public
//   - find.go: from an address that a person typed to a feed
//
// Nothing here stores anything: a poll is handed a record and gives one back.
package poller
