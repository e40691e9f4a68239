package worker_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"digest/test/tier"
)

// An account publishes for four days on a server that sends pages of 20 activities and no validators.
type account struct {
	*httptest.Server
	h       *house
	begin   time.Time
	every   time.Duration
	paged   bool
	publish func(a *account, n int, at string) any // the activity
	asked   []time.Time
	pages   int // requests for pages after the first
	objects map[string]any
	broken  bool   // the server refuses to send the next page
	far     string // another server with the same objects
}

const publicly = "https://www.w3.org/ns/activitystreams#Public"

func (a *account) note(n int, at string) map[string]any {
	return map[string]any{"@context": "https://www.w3.org/ns/activitystreams",
		"id": fmt.Sprintf("%s/users/ann/%d", a.URL, n), "type": "Article", "name": fmt.Sprintf("note %d", n),
		"attributedTo": a.URL + "/users/ann", "to": publicly,
		"published": at, "content": "<p>Words.</p>"}
}

// far returns a note of another server, which a group announces.
func (a *account) farNote(n int, at string) map[string]any {
	page := a.note(n, at)
	page["id"], page["attributedTo"] = fmt.Sprintf("%s/post/%d", a.far, n), a.far+"/u/zoe"
	a.objects[fmt.Sprintf("/post/%d", n)] = page
	return page
}

// announce returns the activity that passes an object on.
func (a *account) announce(n int, at string, object any) any {
	return map[string]any{"type": "Announce", "id": fmt.Sprintf("%s/b/%d", a.URL, n), "actor": a.URL + "/users/ann",
		"to": publicly, "published": at, "object": object}
}

func announced(n int, host, actor string, object any) any {
	return map[string]any{"type": "Create", "id": fmt.Sprintf("%s/c/%d", host, n), "actor": actor, "to": publicly,
		"object": object}
}

// subscribe adds a reader of an account that began half a day before.
func (a *account) subscribe(h *house) (first int) {
	a.h, a.begin, a.objects = h, h.clock.Add(-12*time.Hour), map[string]any{}
	a.Server = httptest.NewServer(a)
	h.t.Cleanup(a.Close)
	far := httptest.NewServer(a)
	h.t.Cleanup(far.Close)
	a.far = far.URL
	h.reader("ann@example.org", "UTC")
	h.follows(a.URL + "/users/ann/outbox?page=true")
	return int(h.clock.Sub(a.begin)/a.every) + 1
}

// until runs the job at each hour.
func (h *house) until(end time.Time) {
	for h.clock.Before(end) {
		h.run(h.clock.Add(time.Hour))
	}
}

func (a *account) create(object any) any {
	return map[string]any{"type": "Create", "actor": a.URL + "/users/ann", "to": publicly, "object": object}
}

// ServeHTTP sends a page of the outbox, or an object.
func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body any
	switch {
	case r.URL.Path == "/users/ann/outbox" && !(a.broken && r.URL.Query().Has("before")):
		body = a.page(r.URL.Query().Get("before"))
	case a.objects[r.URL.Path] != nil:
		body = a.objects[r.URL.Path]
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/activity+json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		a.h.t.Error(err)
	}
}

func (a *account) page(before string) any {
	newest := int(a.h.clock.Sub(a.begin) / a.every)
	if before == "" {
		a.asked = append(a.asked, a.h.clock)
	} else {
		a.pages++
		if _, err := fmt.Sscan(before, &newest); err != nil {
			a.h.t.Error(err)
		}
		newest--
	}
	var items []any
	n := newest
	for ; n >= 0 && len(items) < 20; n-- {
		items = append(items, a.publish(a, n, a.begin.Add(time.Duration(n)*a.every).Format(time.RFC3339)))
	}
	page := map[string]any{"@context": "https://www.w3.org/ns/activitystreams", "type": "OrderedCollectionPage",
		"id": a.URL + "/users/ann/outbox?page=true", "orderedItems": items}
	if a.paged && n >= 0 {
		page["next"] = fmt.Sprintf("%s/users/ann/outbox?page=true&before=%d", a.URL, n+1)
	}
	return page
}

// TestFourDaysOfAccounts checks that each post of a busy account arrives once, for outboxes with pages, without
// pages, with addresses only, with boosts, and of groups. It also bounds the number of polls.
func TestFourDaysOfAccounts(t *testing.T) {
	tier.Alone(t)
	notes := func(a *account, n int, at string) any { return a.create(a.note(n, at)) }
	for why, test := range map[string]struct {
		every   time.Duration
		paged   bool
		publish func(a *account, n int, at string) any
		polls   int // at most, in four days
	}{
		"65 activities a day, a third of them boosts": {22 * time.Minute, true, func(a *account, n int, at string) any {
			if n%3 == 2 {
				return a.announce(n, at, fmt.Sprintf("https://far.example/%d", n))
			}
			return notes(a, n, at)
		}, 9},
		"45 a day, whose next page is not to be had": {32 * time.Minute, true, func(a *account, n int, at string) any {
			a.broken = true
			return notes(a, n, at)
		}, 4 * 8},
		"40 a day, without pages": {36 * time.Minute, false, notes, 4 * 6},
		"40 a day, of which it says where": {36 * time.Minute, true, func(a *account, n int, at string) any {
			note := a.note(n, at)
			a.objects[fmt.Sprintf("/users/ann/%d", n)] = note
			return a.create(note["id"])
		}, 4 * 5},
		"40 a day of a group, whose members are elsewhere": {36 * time.Minute, false,
			func(a *account, n int, at string) any {
				page := a.farNote(n, at)
				claimed := map[string]any{"id": page["id"], "type": "Page", "attributedTo": page["attributedTo"],
					"name": "claimed", "to": publicly, "published": at}
				return a.announce(n, "", announced(n, a.far, a.far+"/u/zoe", claimed))
			}, 4 * 6},
		"40 a day of a group": {36 * time.Minute, false, func(a *account, n int, at string) any {
			page := a.note(n, at)
			page["attributedTo"] = a.URL + "/u/zoe"
			return a.announce(n, "", announced(n, a.URL, a.URL+"/u/zoe", page))
		}, 4 * 6},
	} {
		t.Run(why, func(t *testing.T) {
			eachEmptyHouse(t, "2026-11-16 12:00", func(t *testing.T, h *house) {
				a := &account{every: test.every, paged: test.paged, publish: test.publish}
				first := a.subscribe(h)
				h.until(h.clock.Add(4*24*time.Hour + 13*time.Hour))
				a.check(first, test.polls)
			})
		})
	}
}

// check looks for each note since the subscription in the mails.
func (a *account) check(first, polls int) {
	t := a.h.t
	t.Helper()
	_, mails := a.h.inbox()
	last := int(5 * 24 * time.Hour / a.every) // before the last midnight
	var missing, twice []int
	for n := first; n < last; n++ {
		activity, err := json.Marshal(a.publish(a, n, ""))
		ok(t, err)
		if strings.Contains(string(activity), "far.example") {
			continue
		}
		switch strings.Count(mails, fmt.Sprintf(">note %d<", n)) {
		case 0:
			missing = append(missing, n)
		case 1:
		default:
			twice = append(twice, n)
		}
	}
	if len(missing)+len(twice) > 0 {
		t.Errorf("of notes %d to %d are missing %v, twice %v\nasked at %v", first, last, missing, twice, a.asked)
	}
	if len(a.asked)-1 > polls {
		t.Errorf("polled %d times, and %d pages more; want %d at most: %v", len(a.asked)-1, a.pages, polls, a.asked)
	}
	for i, at := range a.asked[1:] {
		if at.Sub(a.asked[i]) < a.h.spread.Gap {
			t.Errorf("asked at %s and at %s (I5)", a.asked[i], at)
		}
	}
}
