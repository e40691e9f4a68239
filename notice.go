package digest

import "time"

// A NoticeKind says what an edition tells its reader of a feed.
type NoticeKind string

// The kinds of notice.
const (
	NoticeGone NoticeKind = "gone" // the site says 410; the subscription has ended
	NoticeDead NoticeKind = "dead" // failing for 90 days; asked no more
	NoticeGap  NoticeKind = "gap"  // posts may be missing
)

// A Notice is what an edition tells its reader of a feed.
type Notice struct {
	DigestID DigestID
	FeedID   FeedID
	Kind     NoticeKind
	Title    string // the reader's own title of the feed, else the feed's, else empty
	URL      string // of the feed
	Gap             // of NoticeGap
}

// A Gap is a time of which posts of a feed may be missing.
type Gap struct {
	From, To time.Time
}
