package poller

import (
	"testing"
	"time"

	"digest"
)

func TestOwnInterval(t *testing.T) {
	f := "url=https://a.example/feed parsed=0 "
	for _, test := range []struct{ why, feed, want string }{
		{"nothing unusual", f + "etag", ""},
		{"new posts yesterday", f + "etag newest=-24h", ""},
		{"silent for 29 days", f + "etag newest=-719h59m59.999999999s", ""},
		{"silent for 73 days: a fifth of a year", f + "etag newest=-1752h", "2h24m"},
		{"silent for a year", f + "etag newest=-8760h", "12h"},
		{"silent for three years", f + "etag newest=-26280h", "36h"},
		{"silent for fourteen years", f + "etag newest=-122640h", "168h"},
		{"silent since 1970", f + "etag newest=-498744h", "168h"},
		{"a post from the future", f + "etag newest=9600h", ""},
		{"a password", "parsed=0 etag url=https://me:secret@a.example/feed", "12h"},
		{"a name alone", "parsed=0 etag url=https://me@a.example/feed", "12h"},
		{"an at sign in the path", "parsed=0 etag url=https://a.example/@me/feed", ""},
		{"a password and silence", "parsed=0 etag url=https://me:x@a.example/ newest=-26280h", "36h"},
		{"S33: no validators", f, "24h"},
		{"S33: no validators, the page of an account", f + "kind=activitystreams", "6h"},
		{"S33: no validators, a busy account", f + "kind=atproto busy=1h", ""},
		{"S33: only Last-Modified", f + "modified", ""},
		{"S33: not read yet", "url=https://a.example/feed", ""},
		{"S33: neither HEAD nor GET know conditions", f + "etag get=broken head=broken", "24h"},
		{"S33: GET knows none, HEAD is never asked", f + "etag get=broken", "24h"},
		{"S33: only HEAD tells", f + "etag get=broken head=works", ""},
		{"S33: only GET tells", f + "etag get=works head=broken", ""},
		{"S33: HEAD is of no use, GET not known", f + "etag head=broken", ""},
		{"S37: the ETag is in the way, the date is tried", f + "etag bydate head=broken", "24h"},
		{"S37: the date works", f + "etag bydate get=works head=broken", ""},
	} {
		if got := OwnInterval(feedOf(test.feed), midnight()); got != span(test.want) {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
	longAgo := digest.Feed{NewestAt: time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC)} // further away than a Duration reaches
	if got := OwnInterval(longAgo, midnight()); got != 7*oneDay {
		t.Errorf("silent since the year 1: %v", got)
	}
}
