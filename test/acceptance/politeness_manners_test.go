package acceptance

import (
	"fmt"
	"net/http"
	"time"
)

const usualETag, usualLM = `"v%d"`, http.TimeFormat

func both(name string) manner { return manner{name: name, etag: usualETag, lm: usualLM} }

// saying returns a site whose successful responses have fields that state a freshness.
func saying(fresh time.Duration, fields ...string) manner {
	m := both("says")
	m.fresh = fresh
	for i := 0; i < len(fields); i += 2 {
		m.fields = append(m.fields, [2]string{fields[i], fields[i+1]})
		m.name += fmt.Sprintf(" %s: %s", fields[i], fields[i+1])
	}
	return m
}

func freshManners() []manner {
	expires := func(name, layout string, after, skew time.Duration) manner {
		m := both("Expires " + name)
		m.fresh = after
		m.dated = func(at time.Time) [2]string {
			return [2]string{"Expires", at.Add(after + skew).UTC().Format(layout)}
		}
		if skew != 0 {
			m.adjust = func(_ *site, at time.Time, _ *http.Request, a *reply) {
				a.add("Date", at.Add(skew).UTC().Format(http.TimeFormat))
			}
		}
		return m
	}
	only := func(status int, m manner) manner {
		m.only = status
		m.name += fmt.Sprintf(" with %d alone", status)
		return m
	}
	// A 304 replaces only the fields that it has (RFC 9111 §3.2).
	once := func(m manner) manner {
		m.name += " with 200 alone"
		m.adjust = func(_ *site, _ time.Time, _ *http.Request, a *reply) {
			if a.status == 304 {
				a.fields = a.fields[:2]
			}
		}
		return m
	}
	asks := func(name, channel string, ttl time.Duration) manner {
		m := both(name)
		m.channel, m.ttl = channel, ttl
		return m
	}
	mixed := saying(time.Hour, "Cache-Control", "max-age=3600")
	mixed.channel, mixed.ttl, mixed.name = "<ttl>720</ttl>", 12*time.Hour, "ttl 720 and max-age=3600"
	return []manner{
		saying(2*time.Hour, "Cache-Control", "max-age=7200"),
		saying(day, "Cache-Control", "max-age=86400"),
		saying(day, "Cache-Control", "public, max-age=31536000, immutable"),
		saying(12*time.Hour, "Cache-Control", "max-age=86400", "Age", "43200"),
		saying(0, "Cache-Control", "max-age=3600", "Age", "7200"),
		saying(3*time.Hour, "Cache-Control", `PUBLIC, Max-Age="10800"`),
		saying(3*time.Hour, "Cache-Control", "max-age=10800, max-age=60"),
		saying(0, "Cache-Control", "s-maxage=86400"),
		saying(0, "Cache-Control", "no-cache, max-age=86400"),
		saying(day, "Cache-Control", "max-age=99999999999999999999"),
		saying(0, "Cache-Control", "max-age=-5"),
		saying(0, "Cache-Control", "private=max-age, foo=\"max-age=86400\""),
		saying(30*time.Hour-18*time.Hour, "Cache-Control", "private", "Cache-Control", "max-age=43200"),
		saying(0, "Expires", "0"),
		saying(0, "Expires", "-1"),
		expires("in six hours", http.TimeFormat, 6*time.Hour, 0),
		expires("by a slow clock", http.TimeFormat, 6*time.Hour, -5*time.Hour),
		expires("by a fast clock", http.TimeFormat, 6*time.Hour, 9*time.Hour),
		expires("in RFC 850", "Monday, 02-Jan-06 15:04:05 GMT", 5*time.Hour, 0),
		expires("in asctime", time.ANSIC, 5*time.Hour, 0),
		only(304, saying(12*time.Hour, "Cache-Control", "max-age=43200")),
		once(saying(12*time.Hour, "Cache-Control", "max-age=43200")),
		asks("ttl 720", "<ttl>720</ttl>", 12*time.Hour),
		asks("ttl 100000", "<ttl> 100000 </ttl>", day),
		asks("ttl -5", "<ttl>-5</ttl>", 0),
		asks("ttl 1e99", "<ttl>1e99</ttl>", 0),
		asks("sy daily", "<sy:updatePeriod>daily</sy:updatePeriod>", day),
		asks("sy daily 4", "<sy:updatePeriod> daily </sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>",
			6*time.Hour),
		asks("sy weekly 2", "<sy:updatePeriod>weekly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>", day),
		asks("sy hourly", "<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>1</sy:updateFrequency>",
			time.Hour),
		mixed,
	}
}

func skipManners() []manner {
	skips := func(name, channel string, skip func(at time.Time) bool) manner {
		m := both(name)
		m.channel, m.skip = channel, skip
		return m
	}
	hours := func(list ...int) (channel string) {
		for _, h := range list {
			channel += fmt.Sprintf("<hour>%d</hour>", h)
		}
		return "<skipHours>" + channel + "</skipHours>"
	}
	all := make([]int, 24)
	for h := range all {
		all[h] = h
	}
	return []manner{
		skips("skipHours at night", hours(21, 22, 23, 24, 1, 2),
			func(at time.Time) bool { h := at.UTC().Hour(); return h >= 21 || h <= 2 }),
		skips("skipHours by day", hours(9, 10, 11), func(at time.Time) bool {
			h := at.UTC().Hour()
			return h >= 9 &&
				h <= 11
		}),
		skips("skipHours, every one", hours(all...), nil),
		skips("skipDays", "<skipDays><day>Saturday</day><day>sunday</day></skipDays>", func(at time.Time) bool {
			d := at.UTC().Weekday()
			return d == time.Saturday || d == time.Sunday
		}),
	}
}

func validatorManners() []manner {
	with := func(name, etag, lm string) manner { return manner{name: name, etag: etag, lm: lm} }
	touched := both("touched every six hours")
	touched.adjust = func(p *site, at time.Time, r *http.Request, a *reply) {
		n, last := p.version(at)
		touch := latest(at.Truncate(6*time.Hour), last)
		tag := fmt.Sprintf(`"t%d-%d"`, touch.Unix(), n)
		lm := touch.UTC().Format(http.TimeFormat)
		a.fields = [][2]string{{"ETag", tag}, {"Last-Modified", lm}}
		a.status, a.body = 200, p.document(at)
		if r.Header.Get("If-None-Match") == tag {
			a.status, a.body = 304, nil
		}
	}
	touched.extraFull, touched.extra, touched.extraWhy, touched.lags = 400, 5, "new validators for the old document",
		true
	stops := both("stops to send its ETag")
	stops.adjust = func(p *site, at time.Time, r *http.Request, a *reply) {
		if at.Sub(p.begin) < 9*day {
			return
		}
		_, lm := p.validators(at)
		a.fields, a.status, a.body = [][2]string{{"Last-Modified", lm}}, 200, p.document(at)
		if r.Header.Get("If-Modified-Since") == lm && r.Header["If-None-Match"] == nil {
			a.status, a.body = 304, nil
		}
	}
	stops.extra, stops.extraFull, stops.extraWhy = 24, 1,
		"HEAD before each changed GET, once its conditions are in doubt"
	strange := both("304 with another ETag")
	strange.adjust = func(_ *site, _ time.Time, _ *http.Request, a *reply) {
		if a.status == 304 {
			a.fields[0][1] = `"somethingelse"`
		}
	}
	return []manner{
		both("both validators"),
		with("a weak ETag alone", `W/"v%d"`, ""),
		with("a bare ETag", `v%d`, ""),
		with("an ETag in UTF-8", `"é%d"`, usualLM),
		with("Last-Modified alone", "", usualLM),
		with("Last-Modified +0000", "", "Mon, 02 Jan 2006 15:04:05 -0700"),
		with("Last-Modified in RFC 850", "", "Monday, 02-Jan-06 15:04:05 UTC"),
		with("Last-Modified on a wrong weekday", `"v%d"`, "Xxx, 02 Jan 2006 15:04:05 GMT"),
		{name: "no validators", least: day, hopeless: true},
		{name: "an ETag with -gzip", etag: `"v%d-gzip"`, lm: usualLM, late: true, extra: 1, extraFull: 12,
			extraWhy: "until the suffix is known"},
		{name: "an ETag that never matches", etag: `"v%d"`, lm: usualLM, late: true, extra: 24, extraFull: 14,
			extraWhy: "HEAD before each changed GET"},
		touched, stops, strange,
	}
}

// restless is a head with new validators each time.
func restless(_ *site, at time.Time, a *reply) {
	a.status, a.version = 200, 0
	a.fields = [][2]string{{"ETag", `"` + at.Format("20060102150405") + `"`},
		{"Last-Modified", at.UTC().Format(http.TimeFormat)}}
}

// stuck is a head with the validators of the beginning and the current length.
func stuck(p *site, at time.Time, a *reply) {
	etag, lm := p.validators(p.begin)
	a.status, a.version, a.body = 200, 0, p.document(at)
	a.fields = [][2]string{{"ETag", etag}, {"Last-Modified", lm}}
}

// headManners returns servers with different responses to HEAD.
func headManners() []manner {
	refuses := func(status int) manner {
		m := both(fmt.Sprintf("HEAD answered %d", status))
		m.head = func(_ *site, _ time.Time, a *reply) { *a = reply{status: status} }
		m.extra, m.extraWhy = 1, "one HEAD in 90 days"
		return m
	}
	lies := func(name string, deaf bool, lie func(p *site, at time.Time, a *reply)) manner {
		m := both(name)
		m.deaf, m.head = deaf, lie
		m.extra, m.extraWhy = 2, "HEAD is found out"
		return m
	}
	empty := func(_ *site, _ time.Time, a *reply) { a.status, a.version, a.fields = 200, 0, nil }
	hangs := lies("HEAD hangs", false, func(_ *site, _ time.Time, a *reply) { *a = reply{hang: true} })
	forbidden := refuses(403)
	forbidden.extra, forbidden.lags = 3, true
	deafHonest := both("deaf to conditions, HEAD honest")
	deafHonest.deaf = true
	deafHonest.extra, deafHonest.extraFull, deafHonest.extraWhy = 42, 12,
		"HEAD before each changed GET, a real GET a week"
	hopeless := lies("deaf, HEAD restless", true, restless)
	hopeless.hopeless, hopeless.least, hopeless.extra, hopeless.extraFull = true, day, 12, 12
	hopeless.lags = true
	hopeless405 := refuses(405)
	hopeless405.name, hopeless405.deaf, hopeless405.hopeless, hopeless405.least = "deaf, HEAD 405", true, true, day
	hopeless405.extra, hopeless405.extraFull = 12, 12
	hopeless405.lags = true
	return []manner{
		refuses(405), refuses(501), refuses(404), refuses(400), refuses(500), forbidden, hangs,
		lies("HEAD drops the line", false, func(_ *site, _ time.Time, a *reply) { *a = reply{drop: true} }),
		lies("HEAD restless", false, restless),
		lies("HEAD stuck", false, stuck),
		lies("HEAD empty", false, empty),
		deafHonest, hopeless, hopeless405,
	}
}
