package edition_test

import (
	"fmt"
	"strings"
	"testing"

	"digest"
)

// TestLeads: Leads returns the first post of each edition's page, for every arrangement. The number of requests to the
// store does not depend on the number of editions.
func TestLeads(t *testing.T) {
	for name, change := range map[string]func(*shelf, *digest.Delivery){
		"by titles":  func(*shelf, *digest.Delivery) {},
		"named anew": func(s *shelf, _ *digest.Delivery) { s.choices = own(2, digest.Subscription{Title: "zz"}) },
		"one leads": func(s *shelf,
			_ *digest.Delivery) {
			s.choices = own(1, digest.Subscription{Leads: true, Folder: "Z"})
		},
		"in a folder": func(s *shelf, _ *digest.Delivery) { s.choices = own(2, digest.Subscription{Folder: "A"}) },
		"only one": func(s *shelf,
			_ *digest.Delivery) {
			s.choices = own(1, digest.Subscription{Most: 1, Leads: true})
		},
		"without some": func(s *shelf, _ *digest.Delivery) { delete(s.posts, firstOf(s, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := stocked()
			ds := deliveries()
			change(s, &ds[0])
			b := builder(s)
			leads, err := b.Leads(t.Context(), ds)
			if err != nil {
				t.Fatal(err)
			}
			asked := s.calls
			for _, d := range ds {
				e, err := b.Edition(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				lead := leads[d.ID]
				if len(e.Sections) == 0 {
					if lead != nil {
						t.Errorf("an edition of nothing has a lead: %q", lead.Title)
					}
					continue
				}
				if want := e.Sections[0].Posts[0]; lead == nil || lead.ID != want.ID || lead.Title != want.Title {
					t.Errorf("edition %d: %+v, want %q", d.ID, lead, want.Title)
				}
			}
			s.calls = 0
			if _, err := b.Leads(t.Context(), append(ds, ds...)); err != nil || s.calls > asked || s.calls > 8 {
				t.Errorf("%d questions for twice as many editions, %d before: %v", s.calls, asked, err)
			}
		})
	}
}

// TestLedBy: a site that is tried as the lead site has the first post of the editions with its posts, and of no others. The choice
// that is stored does not count, and stays.
func TestLedBy(t *testing.T) {
	s := stocked()
	s.choices = own(1, digest.Subscription{Leads: true})
	ds := []digest.Delivery{
		{Edition: digest.Edition{ID: 100, DigestID: 1, DueAt: noon(20), LocalDate: digest.DateOf(noon(20))}},
		{Edition: digest.Edition{ID: 101, DigestID: 1, DueAt: noon(21), LocalDate: digest.DateOf(noon(21)), Lead: 11}},
	}
	for feed, want := range map[digest.FeedID]string{0: "0 0", 1: "11 chosen 11 chosen", 2: "20 chosen 0"} {
		editions, err := builder(s).LedBy(t.Context(), ds, feed)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range editions {
			got = append(got, fmt.Sprint(e.Lead))
			if e.ChosenLead {
				got = append(got, "chosen")
			}
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("with feed %d: %s, want %s", feed, all, want)
		}
	}
	if !s.choices[1][1].Leads {
		t.Error("the store has lost the choice")
	}
}

// TestLeadsOfNothing: Leads returns nothing for editions without remaining posts, and for no editions.
func TestLeadsOfNothing(t *testing.T) {
	s := stocked()
	clear(s.posts)
	leads, err := builder(s).Leads(t.Context(), deliveries())
	if err != nil || len(leads) > 0 {
		t.Errorf("%v, %v", leads, err)
	}
	if leads, err := builder(s).Leads(t.Context(), nil); err != nil || len(leads) > 0 {
		t.Errorf("of none: %v, %v", leads, err)
	}
}

func own(feed digest.FeedID, sub digest.Subscription) map[digest.DigestID]map[digest.FeedID]digest.Subscription {
	return map[digest.DigestID]map[digest.FeedID]digest.Subscription{1: {feed: sub}}
}

// firstOf returns a post of a feed.
func firstOf(s *shelf, feed digest.FeedID) digest.PostID {
	for id, p := range s.posts {
		if p.FeedID == feed {
			return id
		}
	}
	return 0
}
