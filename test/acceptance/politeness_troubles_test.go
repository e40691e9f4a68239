package acceptance

import (
	"fmt"
	"net/http"
	"regexp"
	"time"
)

// troubled returns an ordinary site with another response in a period.
func troubled(name string, from, to time.Duration, a reply) manner {
	m := both(name)
	m.trouble = during(from, to, a)
	return m
}

// waits returns sites that request a delay in different ways.
func waits() []manner {
	const from, to = 4*day + 10*time.Hour, 6 * day
	limited := func(status int, name string, value func(at time.Time) string, rest time.Duration) manner {
		m := both(fmt.Sprintf("%d, Retry-After %s", status, name))
		m.trouble = func(p *site, at time.Time) (reply, bool) {
			since := at.Sub(p.begin)
			a := reply{status: status, rest: rest, why: "told to wait (S19)"}
			if value != nil {
				a.add("Retry-After", value(at))
			}
			return a, since >= from && since < to
		}
		return m
	}
	fixed := func(s string) func(time.Time) string { return func(time.Time) string { return s } }
	date := func(layout string, after time.Duration) func(time.Time) string {
		return func(at time.Time) string { return at.Add(after).UTC().Format(layout) }
	}
	skewed := limited(429, "by a slow clock", date(http.TimeFormat, 5*time.Hour-7*time.Hour), 5*time.Hour)
	slow := skewed.trouble
	skewed.trouble = func(p *site, at time.Time) (reply, bool) {
		a, ok := slow(p, at)
		a.add("Date", at.Add(-7*time.Hour).UTC().Format(http.TimeFormat))
		return a, ok
	}
	return []manner{
		limited(429, "7200", fixed("7200"), 2*time.Hour),
		limited(429, "36000", fixed("36000"), 10*time.Hour),
		limited(429, "three days", fixed("259200"), 3*day),
		limited(429, "IMF-fixdate", date(http.TimeFormat, 5*time.Hour), 5*time.Hour),
		limited(429, "RFC 850", date("Monday, 02-Jan-06 15:04:05 GMT", 5*time.Hour), 5*time.Hour),
		limited(429, "asctime", date(time.ANSIC, 5*time.Hour), 5*time.Hour),
		limited(429, "past date", date(http.TimeFormat, -5*time.Hour), 0),
		limited(429, "negative", fixed("-7200"), 4*time.Hour),
		limited(429, "0", fixed("0"), 0),
		limited(429, "10^12", fixed("1000000000000"), 7*day),
		limited(429, "10^30", fixed("1000000000000000000000000000000"), 7*day),
		limited(429, "garbage", fixed("soon"), 4*time.Hour),
		limited(429, "1.5", fixed("1.5"), 4*time.Hour),
		limited(429, "absent", nil, 4*time.Hour),
		limited(503, "7200", fixed("7200"), 2*time.Hour),
		limited(503, "a date", date(http.TimeFormat, 20*time.Hour), 20*time.Hour),
		limited(500, "ten hours", fixed("36000"), 10*time.Hour),
		limited(403, "ten hours", fixed("36000"), 10*time.Hour),
		skewed,
	}
}

// troubles returns sites that fail in all other ways.
func troubles() []manner {
	h := func(n int) time.Duration { return time.Duration(n) * time.Hour }
	usual := func(status int) reply {
		return reply{status: status, body: []byte("<html>no</html>"), rest: 4 * time.Hour,
			why: fmt.Sprint(status, " (S20)")}
	}
	notFound := usual(404)
	notFound.rest = day
	page := reply{status: 200,
		body: []byte(
			"<!DOCTYPE html><html><head><title>Back soon</title></head><body><h1>Maintenance</h1></body></html>"),
		rest: h(4), why: "an error page (S13, S20)"}
	page.add("Content-Type", "text/html")
	page.add("ETag", `"page"`)
	challenge := usual(403)
	challenge.add("Cf-Mitigated", "challenge")
	challenge.add("Content-Type", "text/html")
	cut := both("cut in the middle")
	cut.adjust = func(p *site, at time.Time, _ *http.Request, a *reply) {
		if since := at.Sub(p.begin); since > 4*day && since < 6*day && a.status == 200 {
			a.cut, a.rest, a.why = true, 4*time.Hour, "cut (S13, S20)"
		}
	}
	cut.extra, cut.extraFull, cut.extraWhy = 5, 8, "HEAD is whole, and half of a body comes"
	flapping := both("503 every other day")
	flapping.trouble = func(p *site, at time.Time) (reply, bool) {
		return usual(503), int(at.Sub(p.begin)/day)%2 == 1 && at.Sub(p.begin) < 30*day
	}
	return []manner{
		troubled("403 for six days", 4*day, 10*day, usual(403)),
		troubled("401 for six days", 4*day, 10*day, usual(401)),
		troubled("a challenge", 4*day, 6*day, challenge),
		troubled("404 for six days", 4*day, 10*day, notFound),
		troubled("400 for a day", 4*day, 5*day, usual(400)),
		troubled("418 for a day", 4*day, 5*day, usual(418)),
		troubled("451 for a day", 4*day, 5*day, usual(451)),
		troubled("500 for six days", 4*day, 10*day, usual(500)),
		troubled("503 for eight hours", 4*day+h(15), 4*day+h(23), usual(503)),
		troubled("502 for two days", 4*day, 6*day, usual(502)),
		troubled("the line drops for two days", 4*day, 6*day, reply{drop: true, rest: h(4), why: "no answer (S20)"}),
		troubled("hangs at a midnight", 4*day+h(16), 4*day+h(18),
			reply{hang: true, rest: h(4), why: "no answer (S20)"}),
		troubled("an error page for two days", 4*day, 6*day, page),
		troubled("500 for 95 days", 8*day, 103*day, usual(500)),
		cut, flapping,
	}
}

func others() []manner {
	cookie := both("sets a cookie")
	cookie.fields = [][2]string{{"Set-Cookie", "session=0123456789; Path=/"}}
	query := both("an address with a query")
	query.query = "?b=2&a=%7e1&b=2&_"
	secret := both("asks for a password")
	secret.user, secret.least = "reader:s3cret", 12*time.Hour
	rule := both("an operator's rule of 48 hours")
	rule.rule, rule.least = 48*time.Hour, 48*time.Hour
	silent := func(years int) manner {
		m := both(fmt.Sprintf("silent for %d years", years))
		m.quiet, m.least = time.Duration(years)*365*day+5*day, time.Duration(years)*12*time.Hour
		return m
	}
	busy := both("busy on two days")
	busy.burst = [2]time.Duration{10 * day, 12 * day}
	busy.extra, busy.extraFull, busy.extraWhy = 75, 75,
		"asked by itself while it publishes more in a day than its document holds"
	busier := []manner{busy, busy, busy, busy}
	busier[0].name, busier[0].fields, busier[0].fresh = "busy, and fresh for six hours",
		[][2]string{{"Cache-Control", "max-age=21600"}}, 6*time.Hour
	busier[1].name, busier[1].user, busier[1].least = "busy, and asks for a password", "reader:s3cret", 12*time.Hour
	busier[2].name, busier[2].rule, busier[2].least = "busy under an operator's rule", 20*time.Hour, 20*time.Hour
	busier[3].name, busier[3].channel = "busy with skipHours by day",
		"<skipHours><hour>9</hour><hour>10</hour><hour>11</hour><hour>12</hour></skipHours>"
	busier[3].skip = func(at time.Time) bool { h := at.UTC().Hour(); return h >= 9 && h <= 12 }
	for i := range busier {
		busier[i].lags = true
	}
	robots := both("robots.txt names us from the tenth day to the thirtieth")
	robots.robots = func(at time.Time) string {
		if since := at.Sub(runBegin()); since > 10*day && since < 30*day {
			return "User-agent: *\nDisallow:\n\nUser-agent: Digest\nDisallow: /feed\n"
		}
		return "User-agent: *\nDisallow: /\n"
	}
	robots.lags = true
	return append(busier, cookie, query, secret, rule, silent(3), silent(10), busy, robots)
}

// goners returns sites that respond 410: alone on their host, one of two, and a whole broken host.
func goners() []manner {
	gone := reply{status: http.StatusGone, rest: day, why: "410 (S20)"}
	alone := troubled("410, alone", 12*day, 1000*day, gone)
	alone.ends = true
	one := troubled("410, one of two", 12*day, 1000*day, gone)
	one.ends, one.shares, one.extra, one.extraWhy = true, "two", 1, "a second 410 decides"
	other := both("its neighbour")
	other.shares = "two"
	all := []manner{alone, one, other}
	for range 3 {
		m := troubled("410 of a whole host", 12*day, 18*day, gone)
		m.shares = "broken"
		all = append(all, m)
	}
	return all
}

// moves returns sites that move on the eighth day.
func moves() []manner {
	var all []manner
	for _, statuses := range [][]int{{301}, {308}, {302}, {303}, {307}, {301, 308}, {301, 302}, {302, 301}} {
		m := both(fmt.Sprintf("%d from the eighth day", statuses))
		m.moved, m.leaves = statuses, 8*day
		m.extra, m.extraFull, m.extraWhy = 3*len(statuses), 2, "the new address has no validators yet"
		all = append(all, m)
	}
	m := both("302 with Set-Cookie")
	m.moved, m.leaves, m.extra, m.extraFull = []int{302}, 8*day, 3, 2
	m.signs = [][2]string{{"Set-Cookie", "a=b; Path=/"}}
	return append(all, m)
}

// runBegin returns the beginning of the long run, before both changes to daylight saving time, so that it includes
// days of 23 hours.
func runBegin() time.Time { return time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC) }

func allManners() []manner {
	var all []manner
	for _, some := range [][]manner{freshManners(), skipManners(), validatorManners(), headManners(), waits(),
		troubles(), others(), goners(), moves(), odd()} {
		all = append(all, some...)
	}
	return all
}

// named reports whether DIGEST_ACCEPTANCE_SITE, a regular expression, matches a site's name.
func named(m manner, expression string) bool {
	ok, err := regexp.MatchString(expression, m.name)
	return ok && err == nil
}
