package db

import (
	"reflect"
	"testing"
	"time"

	"digest"
)

func TestStored(t *testing.T) {
	for _, c := range []struct{ in, want any }{
		{nil, nil}, {int64(3), int64(3)}, {7, int64(7)}, {digest.FeedID(4), int64(4)}, {uint32(5), int64(5)},
		{"a\x00b", "a\uFFFDb"}, {digest.FeedGone, "gone"}, {true, int64(1)}, {false, int64(0)},
		{time.Time{}, int64(0)}, {time.Unix(9, 999), int64(9)}, {1500 * time.Millisecond, int64(2)},
		{digest.Date{}, ""}, {digest.Date{Year: 2026, Month: 2, Day: 3}, "2026-02-03"}, {[]byte{1}, []byte{1}},
	} {
		if got := stored(c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%#v is stored as %#v, want %#v", c.in, got, c.want)
		}
	}
}

func TestColumns(t *testing.T) {
	r := digest.HostRule{Host: "a.example", ByOwner: true, Interval: time.Hour, CreatedAt: time.Unix(9, 0)}
	again, other := r, r
	again.CreatedAt, other.Interval = time.Unix(9, 5).UTC(), time.Minute
	c := ColumnsOf[digest.HostRule]("host, by_owner,\n\tinterval, created_at")
	names, cells, same := c.Each("h.$ = ?"), c.Cells(&r), c.Same(&r, &again)
	if names != "h.host = ?, h.by_owner = ?, h.interval = ?, h.created_at = ?" || !same || c.Same(&r, &other) ||
		!reflect.DeepEqual(cells, []any{"a.example", int64(1), int64(3600), int64(9)}) {
		t.Errorf("%s: %v, %t", names, cells, same)
	}
}
