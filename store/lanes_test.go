package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"digest"
)

// waits adds n editions that are ready at noon for readers of a domain.
func (w world) waits(domain string, n int) {
	w.Helper()
	from := w.count(`SELECT COALESCE(MAX(id), 0) FROM users`)
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO users (email, email_key, mail_domain, time_zone, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			SELECT 'r' || i || '@%s', 'r' || i || '@%s', '%s', 'UTC', 0 FROM n`, n, domain, domain, domain),
		fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) SELECT id, '', %d FROM users
			WHERE id > %d ORDER BY id`, noon.Unix()+86400, from),
		fmt.Sprintf(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date,
			next_at, expires_at, domain)
			SELECT d.id, '2026-11-19', %[1]d, %[1]d, 1, 'ready', %[1]d, %[1]d, %[2]d, '%[3]s'
			FROM digests d WHERE d.user_id > %[4]d ORDER BY d.id`,
			noon.Unix(), noon.Unix()+20*3600, domain, from),
	} {
		w.exec(statement)
	}
}

// claimed claims editions and counts them by domain.
func (w world) claimed(now time.Time, q digest.Claim) map[string]int {
	w.Helper()
	if q.Lease == 0 {
		q.Lease = 5 * time.Minute
	}
	got := must(w.Editions.ClaimEditions(w.ctx, now, q))
	by := make(map[string]int)
	for _, e := range got {
		by[e.Domain]++
	}
	return by
}

func (w world) nextMail(now time.Time, route, domain digest.Limits) time.Time {
	w.Helper()
	at, ok := must2(w.Editions.NextMail(w.ctx, now, route, domain))
	want(w, "there is one", ok, !at.IsZero())
	return at
}

func perMinute(n int) digest.Limits {
	return digest.Limits{Rate: digest.Rate{Messages: n, Per: time.Minute}}
}

// The queue begins with ten thousand editions of a paused domain.
func TestABlockedDomainStarvesNobody(t *testing.T) {
	each(t, func(w world) {
		w.waits("big.example", 10_000)
		w.waits("small.example", 30)
		until := noon.Add(time.Hour)
		must(w.Editions.ChangeLane(w.ctx, noon, "big.example", func(l digest.Lane) digest.Lane {
			l.Until, l.Pause, l.Failures, l.Width, l.Reason = until, time.Hour, 2, 1, "451 slow down"
			return l
		}))
		none := digest.Limits{}
		want(w, "next", w.nextMail(noon, none, none), noon)
		want(w, "the others", fmt.Sprint(w.claimed(noon, digest.Claim{Most: 80, Token: "t"})),
			"map[small.example:30]")
		want(w, "no more", len(w.claimed(noon, digest.Claim{Most: 80, Token: "t"})), 0)
		want(w, "next: the leases", w.nextMail(noon, none, none), noon.Add(5*time.Minute))
		w.allSent()
		want(w, "next: the domain again", w.nextMail(noon, none, none), until)
		want(w, "not before", len(w.claimed(until.Add(-time.Second), digest.Claim{Most: 80, Token: "t"})), 0)
		want(w, "as wide as it is", fmt.Sprint(w.claimed(until, digest.Claim{Most: 80, Token: "t"})),
			"map[big.example:1]")
		want(w, "one at a time", len(w.claimed(until, digest.Claim{Most: 80, Token: "t"})), 0)
	})
}

func TestABlockedRoute(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 3)
		until := noon.Add(30 * time.Minute)
		must(w.Editions.ChangeLane(w.ctx, noon, "", func(l digest.Lane) digest.Lane {
			l.Until, l.Alarm, l.Reason = until, true, "535 wrong password"
			return l
		}))
		want(w, "nothing", len(w.claimed(until.Add(-time.Second), digest.Claim{Most: 9, Token: "t"})), 0)
		want(w, "next", w.nextMail(noon, digest.Limits{}, digest.Limits{}), until)
		want(w, "then", len(w.claimed(until, digest.Claim{Most: 9, Token: "t"})), 1)
		want(w, "all", w.leased(), 3)
	})
}

// A pause that a fast clock has set has no effect when the clock is right.
func TestALaneOfAWrongClock(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 3)
		ahead := noon.Add(2 * time.Hour)
		rest := func(l digest.Lane) digest.Lane {
			l.Until, l.Pause, l.Failures, l.Reason = ahead.Add(time.Hour), time.Hour, 1, "down"
			return l
		}
		for _, name := range []string{"", "a.example"} {
			must(w.Editions.ChangeLane(w.ctx, ahead, name, rest))
		}
		none := digest.Limits{}
		want(w, "by that clock", len(w.claimed(ahead, digest.Claim{Most: 9, Token: "t"})), 0)
		want(w, "next", w.nextMail(noon, none, none), noon)
		want(w, "by the right one", len(w.claimed(noon, digest.Claim{Most: 1, Token: "t"})), 1)
		l := must(w.Editions.ChangeLane(w.ctx, noon, "a.example", func(l digest.Lane) digest.Lane {
			l.Width = 1
			return l
		}))
		want(w, "nor does what changes then", l.Until, time.Time{})
	})
}

func (w world) allSent() {
	w.Helper()
	w.exec(`UPDATE editions SET state = 'sent' WHERE state = 'leased'`)
	w.exec(`DELETE FROM mail_claims`)
}

func (w world) leased() int {
	w.Helper()
	n := w.count(`SELECT count(*) FROM mail_claims WHERE state <> 'sent'`)
	return n
}

// Connections count over all workers, until the mark.
func TestConnections(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 9)
		w.waits("b.example", 9)
		w.ok(w.Editions.SetLimits(w.ctx, noon, "A.example", digest.Limits{Connections: 4}))
		q := digest.Claim{Most: 20, Route: digest.Limits{Connections: 7}, Domain: digest.Limits{Connections: 2}}
		q.Token = "t"
		want(w, "its own, and the default", fmt.Sprint(w.claimed(noon, q)), "map[a.example:4 b.example:2]")
		q.Token = "u"
		want(w, "others count too", fmt.Sprint(w.claimed(noon, q)), "map[]")
		got := w.claimEditions(noon, 1, "v") // without limits, b would continue
		want(w, "without defaults", got[0].Domain, "b.example")
		w.dot(noon, "v", got[0].ID)
		want(w, "full, only a mark or a lease opens it", w.nextMail(noon, q.Route, q.Domain), noon.Add(5*time.Minute))
		want(w, "though the route is not", w.nextMail(noon, digest.Limits{}, q.Domain), noon.Add(5*time.Minute))
		w.mark(noon, "v", digest.Mark{ID: got[0].ID, State: digest.EditionSent})
		w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		q.Route.Connections = 3
		want(w, "the route's comes first", fmt.Sprint(w.claimed(noon, q)), "map[a.example:3]")
		want(w, "and is full", len(w.claimed(noon, q)), 0)
	})
}

// Concurrent claims of several workers respect the limits together.
func TestConnectionsOfManyWorkers(t *testing.T) {
	each(t, func(w world) {
		for _, domain := range []string{"a.example", "b.example", "c.example"} {
			w.waits(domain, 40)
		}
		q := digest.Claim{Most: 5, Lease: time.Minute, Route: digest.Limits{Connections: 7},
			Domain: digest.Limits{Connections: 3}}
		for range 6 {
			var wg sync.WaitGroup
			for i := range 6 {
				wg.Go(func() {
					q := q
					q.Token = fmt.Sprint("t", i)
					if _, err := w.Editions.ClaimEditions(w.ctx, noon, q); err != nil {
						w.Error(err)
					}
				})
			}
			wg.Wait()
			want(w, "under way", w.leased(), 7)
			w.holds("of one domain", 3,
				`SELECT MAX(n) FROM (SELECT count(*) AS n FROM editions WHERE state = 'leased' GROUP BY domain) x`)
			w.allSent()
		}
	})
}

// The queue begins with more expired editions than one transaction checks.
func TestClaimBehindWhatIsTooLate(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 120)
		w.exec(`UPDATE editions SET expires_at = next_at`)
		w.waits("b.example", 1)
		want(w, "found", fmt.Sprint(w.claimed(noon, digest.Claim{Most: 1, Token: "t"})), "map[b.example:1]")
		w.holds("expired", 120, `SELECT count(*) FROM editions WHERE state = 'expired'`)
	})
}

// sends claims at random moments with two workers, and returns the instants of all claims, by lane.
func (w world) sends(route, domain digest.Limits, from time.Time, steps int) map[string][]time.Time {
	w.Helper()
	seen := make(map[string][]time.Time)
	random := rand.New(rand.NewPCG(1, 2))
	now := from
	for range steps {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, token := range []string{"t", "u"} {
			wg.Go(func() {
				got, err := w.Editions.ClaimEditions(w.ctx, now,
					digest.Claim{Most: 7, Lease: time.Minute, Token: token, Route: route, Domain: domain})
				if err != nil {
					w.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, e := range got {
					seen[""] = append(seen[""], now)
					seen[e.Domain] = append(seen[e.Domain], now)
				}
			})
		}
		wg.Wait()
		w.allSent()
		now = now.Add(time.Duration(random.IntN(1500)) * time.Millisecond)
		if random.IntN(40) == 0 {
			now = now.Add(time.Duration(random.IntN(30)) * time.Second)
		}
	}
	return seen
}

// densest returns the largest number of instants in any period of length per.
func densest(at []time.Time, per time.Duration) (n int) {
	for i := range at {
		end, _ := slices.BinarySearchFunc(at, at[i].Add(per), time.Time.Compare)
		n = max(n, end-i)
	}
	return n
}

func TestRates(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 400)
		w.waits("b.example", 400)
		w.ok(w.Editions.SetLimits(w.ctx, noon, "b.example",
			digest.Limits{Rate: digest.Rate{Messages: 1, Per: 10 * time.Second}}))
		seen := w.sends(perMinute(40), perMinute(25), noon, 300)
		for name, limit := range map[string]digest.Rate{
			"": perMinute(40).Rate, "a.example": perMinute(25).Rate, "b.example": {Messages: 1, Per: 10 * time.Second},
		} {
			if n := densest(seen[name], limit.Per); n > limit.Messages {
				w.Errorf("%q: %d claims in %s", name, n, limit.Per)
			}
			// Claims use at least a third of the rate, because the queue is never empty.
			took := seen[name][len(seen[name])-1].Sub(noon)
			if might := int(took / limit.Per * time.Duration(limit.Messages)); len(seen[name]) < might/3 {
				w.Errorf("%q: only %d claims in %s", name, len(seen[name]), took)
			}
		}
	})
}

// At each instant of NextMail a claim returns editions, and no claim is late.
func TestNextMailBringsAClaim(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 60)
		w.waits("b.example", 20)
		route, domain := perMinute(100), perMinute(10)
		must(w.Editions.ChangeLane(w.ctx, noon, "b.example", func(l digest.Lane) digest.Lane {
			l.Until, l.Reason = noon.Add(2*time.Minute), "451"
			return l
		}))
		now, total, rounds := noon, 0, 0
		for ; total < 80; rounds++ {
			next := w.nextMail(now, route, domain)
			if next.After(now) {
				now = next
			}
			n := 0
			for _, k := range w.claimed(now, digest.Claim{Most: 50, Token: "t", Route: route, Domain: domain}) {
				n += k
			}
			if n == 0 {
				w.Fatalf("nothing at %v", now)
			}
			total += n
			w.allSent()
		}
		if took := now.Sub(noon); took < 5*time.Minute || took > 7*time.Minute {
			w.Errorf("80 messages took %s", took)
		}
		_, ok := must2(w.Editions.NextMail(w.ctx, now, route, domain))
		want(w, "nothing left", ok, false)
	})
}

// The first of several closed domains with waiting mail decides.
func TestNextMailOfManyDomains(t *testing.T) {
	each(t, func(w world) {
		for i := range 20 {
			must(w.Editions.ChangeLane(w.ctx, noon, fmt.Sprintf("d%d.example", i),
				func(l digest.Lane) digest.Lane {
					l.Until = noon.Add(time.Duration(i+1) * time.Minute)
					return l
				}))
		}
		none := digest.Limits{}
		_, ok := must2(w.Editions.NextMail(w.ctx, noon, none, none))
		want(w, "nothing waits", ok, false)
		for _, i := range []int{15, 11, 3} {
			w.waits(fmt.Sprintf("d%d.example", i), 1)
			want(w, fmt.Sprint("with one for the domain ", i), w.nextMail(noon, none, none),
				noon.Add(time.Duration(i+1)*time.Minute))
		}
		w.waits("open.example", 1)
		want(w, "an open one", w.nextMail(noon, none, none), noon)
	})
}

// The used part of another rate, or of a wrong clock, does not block a new rate.
func TestRatesChange(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 30)
		daily := digest.Limits{Rate: digest.Rate{Messages: 1, Per: day}}
		want(w, "one a day", w.claimed(noon, digest.Claim{Most: 9, Token: "t", Domain: daily})["a.example"], 1)
		w.allSent()
		want(w, "no more", len(w.claimed(noon.Add(time.Hour), digest.Claim{Most: 9, Token: "t", Domain: daily})), 0)
		lanes := must(w.Editions.Lanes(w.ctx))
		want(w, "nothing to be said of it", len(lanes), 0)
		q := digest.Claim{Most: 9, Token: "t", Domain: perMinute(10)}
		now := noon.Add(time.Hour)
		w.claimed(now, q)
		next := w.nextMail(now, q.Route, q.Domain)
		want(w, "soon", next.Sub(now) < 10*time.Second, true)
		want(w, "and then", w.claimed(next, q)["a.example"], 1)
		want(w, "without any", w.claimed(next, digest.Claim{Most: 9, Token: "t"})["a.example"], 9)
		w.pruneOnce(now.Add(time.Hour), keep, 9)
		w.holds("rows of lanes that are well", 0, `SELECT count(*) FROM lanes`)
	})
}

func TestLanes(t *testing.T) {
	each(t, func(w world) {
		lane := func(name string) digest.Lane {
			l := must(w.Editions.Lane(w.ctx, name))
			return l
		}
		want(w, "unknown", lane("a.example"), digest.Lane{Name: "a.example"})
		trouble := digest.Lane{
			Name:   "xn--bcher-kva.example",
			Limits: digest.Limits{Connections: 2, Rate: digest.Rate{Messages: 100, Per: time.Minute}},
			Width:  1, Pause: 90 * time.Second, Until: noon.Add(90 * time.Second), Failures: 3, Alarm: true,
			Reason: "451 4.7.0 later", ChangedAt: noon,
		}
		got := must(w.Editions.ChangeLane(w.ctx, noon, "Bücher.example",
			func(digest.Lane) digest.Lane { return trouble }))
		want(w, "changed", got, trouble)
		want(w, "stored", lane("bücher.example"), trouble)
		later := noon.Add(time.Hour)
		w.ok(w.Editions.SetLimits(w.ctx, later, "", digest.Limits{Connections: 9}))
		w.ok(w.Editions.SetLimits(w.ctx, later, "bücher.example", digest.Limits{}))
		all := must(w.Editions.Lanes(w.ctx))
		trouble.Limits, trouble.ChangedAt = digest.Limits{}, later
		want(w, "lanes", len(all), 2)
		want(w, "the route first", all[0], digest.Lane{Limits: digest.Limits{Connections: 9}, ChangedAt: later})
		want(w, "the trouble stays", all[1], trouble)
		must(w.Editions.ChangeLane(w.ctx, later, trouble.Name,
			func(l digest.Lane) digest.Lane { return digest.Lane{} }))
		w.ok(w.Editions.SetLimits(w.ctx, later, "", digest.Limits{}))
		w.holds("rows", 0, `SELECT count(*) FROM lanes`)
		for _, wrong := range []digest.Limits{
			{Connections: -1}, {Rate: digest.Rate{Messages: 1}}, {Rate: digest.Rate{Per: time.Second}},
			{Rate: digest.Rate{Messages: 1, Per: 1500 * time.Millisecond}},
		} {
			oneLine(w, w.Editions.SetLimits(w.ctx, noon, "a.example", wrong), digest.Invalid)
		}
		oneLine(w, w.Editions.SetLimits(w.ctx, noon, "ada@a.example", digest.Limits{Connections: 1}),
			digest.Invalid)
	})
}

// Several workers change one lane at the same time.
func TestNewsOfALane(t *testing.T) {
	each(t, func(w world) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 5 {
					_, err := w.Editions.ChangeLane(w.ctx, noon, "a.example", func(l digest.Lane) digest.Lane {
						l.Failures++
						return l
					})
					if err != nil {
						w.Error(err)
					}
				}
			})
		}
		wg.Wait()
		want(w, "all counted", must(w.Editions.Lane(w.ctx, "a.example")).Failures, 40)
	})
}

func TestDeliveriesTellOfTheirLane(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 1)
		w.waits("b.example", 1)
		must(w.Editions.ChangeLane(w.ctx, noon, "b.example", func(l digest.Lane) digest.Lane {
			l.Width = 1
			return l
		}))
		got := w.claimEditions(noon, 9, "t")
		want(w, "domains", got[0].Domain+" "+got[1].Domain, "a.example b.example")
		want(w, "slow", fmt.Sprint(got[0].Slow, got[1].Slow), "false true")
		w.ok(w.Editions.RenewLeases(w.ctx, noon.Add(4*time.Minute), "t", 5*time.Minute))
		w.recoverDead(noon.Add(8 * time.Minute))
		want(w, "renewed", w.leased(), 2)
		w.ok(w.Editions.RenewLeases(w.ctx, noon.Add(8*time.Minute), "u", time.Hour))
		w.recoverDead(noon.Add(9 * time.Minute))
		want(w, "not by another", w.leased(), 0)
	})
}
