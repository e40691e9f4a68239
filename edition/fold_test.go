package edition_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/render"
)

func (s *shelf) PostsBefore(_ context.Context, feed digest.FeedID, before time.Time, n int) (ids []digest.PostID,
	_ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, p := range s.posts {
		if p.FeedID == feed && p.SeenAt.Before(before) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), n)], s.called()
}

const (
	english = "The keeper of the lighthouse went to the harbour in the morning and painted it with a brush that " +
		"was new."
	german = "Der Wärter ging am Morgen zum Hafen und hat ihn mit dem neuen Pinsel gestrichen, weil es nicht " +
		"mehr regnete."
)

// flooded returns a store in which Zebra has n new posts with a text, after 20 earlier ones by Ann in English.
func flooded(n int, author, text string) (*shelf, digest.Delivery) {
	s := stocked()
	refs := []digest.PostRef{{PostID: 30, FeedID: 3}}
	for i := range 20 + n {
		p := digest.Post{ID: digest.PostID(1000 + i), FeedID: 1, Title: fmt.Sprintf("P%d.", i), Summary: english,
			Author: "Ann", URL: fmt.Sprintf("https://zebra.example/%d", i),
			SeenAt: noon(1).Add(time.Duration(i) * 20 * time.Hour)}
		if i >= 20 {
			p.Summary, p.Author, p.SeenAt = text, author, noon(19).Add(time.Duration(i)*time.Minute)
			refs = append(refs, digest.PostRef{PostID: p.ID, FeedID: 1})
		}
		s.posts[p.ID] = p
	}
	s.editions[100] = refs
	s.histories = map[digest.FeedID]digest.FeedHistory{1: {Recent: 20, Most: 3, Since: noon(1).AddDate(0, 0, -10)}}
	d := deliveries()[0]
	d.PrevDueAt, d.PrevReleasedAt = noon(19), noon(19)
	return s, d
}

// TestFold: the edition has one line in place of the posts of a site that publishes far more than usual. The email links to them, and
// the site does not lead. A reader who always wants its posts gets them.
func TestFold(t *testing.T) {
	const line = "Zebra published 41 posts today (usually at most 3 a day)"
	s, d := flooded(41, "Ann", english)
	bld := builder(s)
	web, err := bld.Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	zebra := web.Sections[1]
	if zebra.Fold == nil || *zebra.Fold != (render.Fold{Posts: 41, Usual: 3, Days: 1}) || len(zebra.Posts) != 41 {
		t.Errorf("%d posts, folded %+v", len(zebra.Posts), zebra.Fold)
	}
	letters, err := bld.Render(t.Context(), []digest.Delivery{d})
	if err != nil {
		t.Fatal(err)
	}
	mail := inARow(letters[0])
	if !strings.Contains(mail, line) || !strings.Contains(mail, "?site=3D1") || !strings.Contains(mail, ">P60.<") ||
		strings.Contains(mail, ">P59.<") || strings.Contains(mail, "taken over") {
		t.Errorf("the email has\n%s", mail)
	}
	site, err := bld.Site(t.Context(), d, 1)
	if err != nil {
		t.Fatal(err)
	}
	if zebra = site.Sections[0]; zebra.Fold == nil || zebra.Display != "" || len(zebra.Posts) != 41 {
		t.Errorf("the site's page has %d posts, folded %+v", len(zebra.Posts), zebra.Fold)
	}
	s.choices[1][1] = digest.Subscription{Extras: digest.Unfolded}
	if web, err = bld.Edition(t.Context(), d); err != nil || web.Sections[1].Fold != nil {
		t.Errorf("unfolded, the edition has %+v, %v", web.Sections, err)
	}
	d.PrevDueAt = time.Time{}
	s.choices[1] = nil
	if web, err = bld.Edition(t.Context(), d); err != nil || web.Sections[1].Fold != nil {
		t.Errorf("the first edition has %+v, %v", web.Sections, err)
	}
}

// TestTakeover: a flood warns of a takeover if its language or all its authors are new.
func TestTakeover(t *testing.T) {
	for name, c := range map[string]struct {
		author, text string
		want         bool
	}{
		"the same":              {"Ann", english, false},
		"another author":        {"Casino", english, true},
		"another language":      {"Ann", german, true},
		"no author":             {"", english, false},
		"too few words to tell": {"", "Neu", false},
	} {
		s, d := flooded(41, c.author, c.text)
		web, err := builder(s).Edition(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if fold := web.Sections[1].Fold; fold == nil || fold.Changed != c.want {
			t.Errorf("%s: %+v, want %v", name, fold, c.want)
		}
		letters, err := builder(s).Render(t.Context(), []digest.Delivery{d})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(inARow(letters[0]), "taken over") != c.want {
			t.Errorf("%s: the email warns: %v", name, !c.want)
		}
	}
}
