package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
)

// place encodes a position in a list for an address. placeIn decodes it.
func place(at time.Time, id digest.PostID) string {
	return strconv.FormatInt(at.Unix(), 10) + "." + strconv.FormatInt(int64(id), 10)
}

// maxSecond is the last second of the year 9999.
const maxSecond = 253402300799

// placeIn returns the position after which the requested page of a list begins. It is zero for the
// first page.
func placeIn(r *http.Request) (at time.Time, id digest.PostID, ok bool) {
	given := r.URL.Query().Get("after")
	if given == "" {
		return time.Time{}, 0, true
	}
	seconds, key, _ := strings.Cut(given, ".")
	sec, err1 := strconv.ParseInt(seconds, 10, 64)
	n, err2 := strconv.ParseInt(key, 10, 64)
	if cmp.Or(err1, err2) != nil || sec <= 0 || n <= 0 || sec > maxSecond {
		return time.Time{}, 0, false
	}
	return time.Unix(sec, 0).UTC(), digest.PostID(n), true
}
