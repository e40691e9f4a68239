package poller

import (
	"testing"
	"time"

	"digest"
)

func TestOwnInterval(t *testing.T) {
	for _, test := range table(`
		feed                                            | want  | why
		etag                                            |       | nothing unusual
		etag newest=-24h                                |       | new posts yesterday
		etag newest=-719h59m59.999999999s               |       | silent for 29 days
		etag newest=-1752h                              | 2h24m | silent for 73 days: a fifth of a year
		etag newest=-8760h                              | 12h   | silent for a year
		etag newest=-26280h                             | 36h   | silent for three years
		etag newest=-122640h                            | 168h  | silent for fourteen years
		etag newest=-498744h                            | 168h  | silent since 1970
		etag newest=9600h                               |       | a post from the future
		etag url=https://me:secret@a.example/feed       | 12h   | a password
		etag url=https://me@a.example/feed              | 12h   | a name alone
		etag url=https://a.example/@me/feed             |       | an at sign in the path
		etag url=https://me:x@a.example/ newest=-26280h | 36h   | a password and silence
		                                                | 24h   | S33: no validators
		kind=activitystreams                            | 6h    | S33: no validators, the page of an account
		kind=atproto busy=1h                            |       | S33: no validators, a busy account
		modified                                        |       | S33: only Last-Modified
		etag get=broken head=broken                     | 24h   | S33: neither HEAD nor GET know conditions
		etag get=broken                                 | 24h   | S33: GET knows none, HEAD is never asked
		etag get=broken head=works                      |       | S33: only HEAD tells
		etag get=works head=broken                      |       | S33: only GET tells
		etag head=broken                                |       | S33: HEAD is of no use, GET not known
		etag bydate head=broken                         | 24h   | S37: the ETag is in the way, the date is tried
		etag bydate get=works head=broken               |       | S37: the date works`) {
		f := feedOf("url=https://a.example/feed parsed=0 " + test["feed"])
		if got := OwnInterval(f, midnight()); got != span(test["want"]) {
			t.Errorf("%s: %v, want %v", test["why"], got, test["want"])
		}
	}
	if got := OwnInterval(feedOf("url=https://a.example/feed"), midnight()); got != 0 {
		t.Errorf("S33: not read yet: %v", got)
	}
	longAgo := digest.Feed{NewestAt: time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC)} // further away than a Duration reaches
	if got := OwnInterval(longAgo, midnight()); got != 7*oneDay {
		t.Errorf("silent since the year 1: %v", got)
	}
}
