package acceptance

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// tempers returns the manners of the sites of scenes.
func tempers() []manner {
	speaking := func(name, kind, etag, lm string) manner { return manner{name: name, kind: kind, etag: etag, lm: lm} }
	with := func(m manner, change func(m *manner)) manner { change(&m); return m }
	usual := func(name string) manner { return speaking(name, "", usualETag, usualLM) }
	tagged := func(name, kind string) manner { return speaking(name, kind, usualETag, "") }
	fresh := func(m manner, d time.Duration) manner {
		m.fresh = d
		m.fields = [][2]string{{"Cache-Control", fmt.Sprintf("public, max-age=%d", d/time.Second)}}
		return m
	}
	troubled := func(m manner, from, to time.Duration, a reply) manner {
		m.trouble = during(from*time.Hour, to*time.Hour, a)
		return m
	}
	const weak = `W/"v%d"`
	refused := func(_ *site, _ time.Time, a *reply) { *a = reply{status: http.StatusMethodNotAllowed} }
	page := reply{status: 200, body: []byte("<!DOCTYPE html><title>Maintenance</title><h1>Back soon</h1>"),
		fields: [][2]string{{"Content-Type", "text/html"}, {"ETag", `"maintenance"`}}, rest: usualPenalty, why: "a page"}
	limited := reply{status: 429, fields: [][2]string{{"Retry-After", "7200"}}, rest: 2 * time.Hour, why: "429"}
	return []manner{
		usual("both validators"),
		speaking("ETag only", "atom", weak, ""),
		speaking("Last-Modified only", "json", "", usualLM),
		{name: "no validators", hopeless: true, least: inFull},
		with(speaking("ETag with -gzip", "atom", `"v%d-gzip"`, usualLM), func(m *manner) { m.late, m.adjust = true, zip }),
		with(tagged("HEAD refused", ""), func(m *manner) { m.head = refused }),
		with(speaking("HEAD restless", "json", usualETag, usualLM), func(m *manner) { m.head = restless }),
		with(usual("HEAD stuck"), func(m *manner) { m.head = stuck }),
		with(speaking("always 200", "atom", usualETag, usualLM), func(m *manner) { m.deaf = true }),
		fresh(tagged("fresh for 30 minutes", ""), 30*time.Minute),
		fresh(tagged("fresh for 90 minutes", "atom"), 90*time.Minute),
		fresh(speaking("fresh for a day", "", "", usualLM), day),
		with(tagged("Expires", "json"), func(m *manner) { m.fresh, m.dated = 3*time.Hour, expiresIn(3*time.Hour) }),
		with(usual("301"), func(m *manner) { m.moved = []int{301} }),
		with(tagged("302", "atom"), func(m *manner) { m.moved = []int{302} }),
		troubled(usual("503 for a day"), 30, 54, reply{status: 503, rest: usualPenalty, why: "503"}),
		troubled(tagged("429", "atom"), 40, 49, limited),
		troubled(usual("an error page with 200"), 20, 32, page),
		with(tagged("cut short", "json"), func(m *manner) {
			m.head, m.adjust = refused, func(p *site, at time.Time, _ *http.Request, a *reply) {
				if since := at.Sub(p.begin); since >= 25*time.Hour && since < 45*time.Hour && a.status != 405 {
					*a = reply{status: 200, body: p.document(at), cut: true, rest: usualPenalty, why: "cut"}
				}
			}
		}),
		with(usual("slow"), func(m *manner) { m.adjust = slowly }),
		with(speaking("gzip", "atom", usualETag, usualLM), func(m *manner) { m.adjust = zip }),
		speaking("odd validators", "", `v%d`, "Mon, 02 Jan 2006 15:04:05 -0700"),
		with(tagged("new GUIDs", ""), func(m *manner) { m.renames = true }),
		with(tagged("undated", "atom"), func(m *manner) { m.undated = true }),
		with(speaking("flickering", "json", usualETag, usualLM), func(m *manner) { m.flickers = true }),
		with(usual("touched"), func(m *manner) { m.touches = true }),
		with(tagged("edited", "atom"), func(m *manner) { m.edits = true }),
		with(tagged("cookies", ""), func(m *manner) {
			m.fields = [][2]string{{"Set-Cookie", "session=0123456789; Path=/"}}
		}),
		with(usual("a query"), func(m *manner) { m.query, m.shares = "?b=2&a=%7e1&b=2&_", "two" }),
		with(speaking("two on a host", "atom", usualETag, usualLM), func(m *manner) { m.shares = "two" }),
	}
}

func slowly(_ *site, _ time.Time, _ *http.Request, a *reply) { a.slow = true }

func expiresIn(d time.Duration) func(time.Time) [2]string {
	return func(at time.Time) [2]string { return [2]string{"Expires", at.Add(d).UTC().Format(http.TimeFormat)} }
}

// publish returns n sites whose posts appear at seeded random times, from a day and a half before begin until end.
func publish(n int, begin, end time.Time, seed uint64) []*site {
	kinds := tempers()
	sites := make([]*site, n)
	for i := range sites {
		sites[i] = newSite(i, kinds[i%len(kinds)], begin)
		sites[i].long = true
		if sites[i].shares != "" {
			sites[i].shares += fmt.Sprint(i / len(kinds))
		}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		for at := begin.Add(-36 * time.Hour); at.Before(end); {
			at = at.Add(time.Duration(1+random.IntN(26*60)) * time.Minute)
			sites[i].publish(at)
		}
	}
	return sites
}
