package acceptance

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// tempers returns the manners of the sites of scenes: some of the long runs, and others with events in the first days.
func tempers() []manner {
	all, some := allManners(), []manner{}
	for _, name := range []string{"both validators", "a weak ETag alone", "Last-Modified alone", "no validators",
		"an ETag with -gzip", "HEAD answered 405", "HEAD restless", "HEAD stuck", "deaf to conditions, HEAD honest",
		"says Cache-Control: max-age=7200", "says Cache-Control: max-age=86400", "Expires in six hours", "a bare ETag",
		"Last-Modified +0000", "sets a cookie"} {
		some = append(some, all[slices.IndexFunc(all, func(m manner) bool { return m.name == name })])
	}
	for _, minutes := range []time.Duration{30, 90} {
		some = append(some, saying(minutes*time.Minute, "Cache-Control", fmt.Sprintf("max-age=%d", 60*minutes)))
	}
	add := func(name string, change func(m *manner)) {
		m := both(name)
		change(&m)
		some = append(some, m)
	}
	trouble := func(name string, from, to time.Duration, a reply) {
		add(name, func(m *manner) { m.trouble = during(from*time.Hour, to*time.Hour, a) })
	}
	trouble("503 for a day", 30, 54, reply{status: 503, rest: usualPenalty, why: "503"})
	trouble("429", 40, 49,
		reply{status: 429, fields: [][2]string{{"Retry-After", "7200"}}, rest: 2 * time.Hour, why: "429"})
	trouble("an error page with 200", 20, 32,
		reply{status: 200, body: []byte("<!DOCTYPE html><title>Maintenance</title><h1>Back soon</h1>"),
			fields: [][2]string{{"Content-Type", "text/html"}, {"ETag", `"page"`}}, rest: usualPenalty, why: "a page"})
	add("cut short", func(m *manner) {
		m.adjust = func(p *site, at time.Time, r *http.Request, a *reply) {
			if since := at.Sub(p.begin); since >= 25*time.Hour && since < 45*time.Hour {
				*a = reply{status: 200, body: p.document(at), cut: true, rest: usualPenalty, why: "cut"}
			}
		}
	})
	add("301", func(m *manner) { m.moved = []int{301} })
	add("302", func(m *manner) { m.moved = []int{302} })
	add("slow", func(m *manner) { m.adjust = slowly })
	add("gzip", func(m *manner) { m.adjust = zip })
	add("new GUIDs", func(m *manner) { m.renames = true })
	add("undated", func(m *manner) { m.undated = true })
	add("flickering", func(m *manner) { m.flickers = true })
	add("edited", func(m *manner) { m.edits = true })
	add("a query", func(m *manner) { m.query, m.shares = "?b=2&a=%7e1&b=2&_", "two" })
	add("two on a host", func(m *manner) { m.shares = "two" })
	return some
}

func slowly(_ *site, _ time.Time, _ *http.Request, a *reply) { a.slow = true }

// publish returns n sites whose posts appear at seeded random times, from a day and a half before begin until end.
func publish(n int, begin, end time.Time, seed uint64) []*site {
	kinds := tempers()
	sites := make([]*site, n)
	for i := range sites {
		sites[i] = newSite(i, kinds[i%len(kinds)], begin)
		sites[i].long, sites[i].kind = true, []string{"", "atom", "json"}[i%3]
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
