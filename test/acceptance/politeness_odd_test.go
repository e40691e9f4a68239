package acceptance

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

func odd() []manner {
	now := both("Last-Modified is always now")
	now.etag, now.lm = "", ""
	now.adjust = func(_ *site, at time.Time, _ *http.Request, a *reply) {
		a.add("Last-Modified", at.UTC().Format(http.TimeFormat))
	}
	now.deaf, now.hopeless, now.lags, now.least, now.extra, now.extraFull = true, true, true, day, 12, 12
	random := both("a new ETag each time")
	random.etag, random.lm = "", ""
	random.adjust = func(_ *site, at time.Time, _ *http.Request, a *reply) {
		a.add("ETag", fmt.Sprintf(`"%d"`, at.Unix()))
	}
	random.deaf, random.hopeless, random.lags, random.least, random.extra, random.extraFull = true, true, true, day,
		12, 12
	stamped := both("stamped with the time, no validators")
	stamped.etag, stamped.lm, stamped.hopeless, stamped.least = "", "", true, day
	stamped.adjust = func(_ *site, at time.Time, _ *http.Request, a *reply) {
		a.body = bytes.Replace(a.body, []byte("<channel>"), []byte("<channel><lastBuildDate>"+at.Format(time.RFC1123Z)+
			"</lastBuildDate>"), 1)
	}
	future := both("Last-Modified lies in the future")
	future.etag, future.lm = "", ""
	future.adjust = func(p *site, at time.Time, r *http.Request, a *reply) {
		_, last := p.version(at)
		lm := last.Add(5000 * day).UTC().Format(http.TimeFormat)
		a.fields = [][2]string{{"Last-Modified", lm}}
		if r.Header.Get("If-Modified-Since") == lm {
			a.status, a.body = 304, nil
		}
	}
	epoch := both("Last-Modified is 1970, the ETag is right")
	epoch.lm = "Thu, 01 Jan 1970 00:00:00 GMT"
	empty := both("an empty ETag")
	empty.etag = ""
	empty.adjust = func(_ *site, _ time.Time, _ *http.Request, a *reply) { a.add("ETag", "") }
	length := both("HEAD tells another length")
	length.head = func(_ *site, _ time.Time, a *reply) { a.body = append(bytes.Clone(a.body), "more"...) }
	length.extra = 2
	limited := both("HEAD is limited")
	limited.head = func(_ *site, _ time.Time, a *reply) {
		*a = reply{status: 429, rest: 4 * time.Hour, why: "429 to HEAD (S19)"}
	}
	limited.extra, limited.lags = 4, true
	h4 := func(status int, body string) reply {
		return reply{status: status, body: []byte(body), rest: 4 * time.Hour, why: "no feed (S20)"}
	}
	loop := both("a loop for a day")
	loop.trouble = func(p *site, at time.Time) (reply, bool) {
		a := h4(302, "")
		a.add("Location", p.door.base+p.path)
		return a, int(at.Sub(p.begin)/day) == 4
	}
	loop.extra, loop.extraWhy = 12, "a loop is gone round once"
	portal := both("a captive portal for a day")
	portal.trouble = func(p *site, at time.Time) (reply, bool) {
		a := h4(302, "")
		a.add("Location", "file:///etc/passwd")
		return a, int(at.Sub(p.begin)/day) == 4
	}
	patient := both("503 with Retry-After behind a 302")
	patient.moved, patient.leaves, patient.extra, patient.extraFull = []int{302}, 8*day, 3, 2
	patient.trouble = func(p *site, at time.Time) (reply, bool) {
		a := reply{status: 503, rest: 10 * time.Hour, why: "told to wait (S19)"}
		a.add("Retry-After", "36000")
		return a, int(at.Sub(p.begin)/day) == 10
	}
	changes := both("its ttl comes and goes")
	changes.adjust = func(p *site, at time.Time, _ *http.Request, a *reply) {
		if n, _ := p.version(at); n%2 == 0 {
			a.body = bytes.Replace(a.body, []byte("<channel>"), []byte("<channel><ttl>1440</ttl>"), 1)
			a.rest, a.why = max(a.rest, day), "ttl (S15)"
		}
	}
	changes.lags = true

	blank := troubled("a feed without posts for a day", 4*day, 5*day,
		reply{status: 200, version: 1, body: []byte("<rss version='2.0'><channel><title>Site</title></channel></rss>")})
	blank.lags = true
	all := []manner{
		now, random, stamped, future, epoch, empty, length, limited, loop, portal, patient, changes, blank,
		troubled("204 for a day", 4*day, 5*day, h4(204, "")),
		troubled("an empty 200 for a day", 4*day, 5*day, h4(200, "")),
		troubled("206 for a day", 4*day, 5*day, h4(206, "<rss version")),
		troubled("300 for a day", 4*day, 5*day, h4(300, "choose")),
		troubled("JSON for a day", 4*day, 5*day, h4(200, `{"error":"try again"}`)),
	}
	return all
}
