package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
)

// news returns the notices for publishers, and records that they got them.
func (w world) news(now time.Time) string {
	w.Helper()
	all := must(w.Newsletters.PublisherNews(w.ctx))
	var said []string
	for _, news := range all {
		said = append(said, fmt.Sprint(news.Newsletter.Slug, " to ", strings.Join(news.To, " "), ": ",
			describe(news.Notices)))
		w.ok(w.Newsletters.MarkTold(w.ctx, news, now))
	}
	return strings.Join(said, "; ")
}

// TestPublishersAreTold: the owner and the editors of a newsletter get each notice about its feeds once, and its
// members get none.
func TestPublishersAreTold(t *testing.T) {
	each(t, func(w world) {
		f, other := w.feed("f.example"), w.feed("other.example")
		anna, ben := w.reader("anna"), w.reader("ben")
		n := w.newsletter("anna-writes", anna, f, other)
		ended := w.newsletter("ended", ben, f)
		w.setNewsletter(ended, digest.NewsletterEnded, "", noon)
		w.ok(w.Newsletters.SetRole(w.ctx, n.ID, ben.UserID, digest.RoleEditor, noon))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		day := func(n int) time.Time { return noon.Add(time.Duration(n) * day) }
		w.ails(noon, f, day(-8))
		w.ails(noon, other, day(-8))
		w.ails(day(1), other, time.Time{})
		want(w, "a feed that is sick, and not one that was", w.news(day(1)),
			"anna-writes to anna@example.org ben@example.org: sick f.example")
		want(w, "a member", w.told(digest.Digest{ID: m.DigestID}), "")
		w.ails(day(2), f, day(-8))
		want(w, "told again", w.news(day(2)), "")
		w.ails(day(3), f, time.Time{})
		w.ails(day(12), f, day(4))
		want(w, "another illness within a month", w.news(day(12)), "")
		w.ails(day(40), f, day(4))
		want(w, "after a month", w.news(day(40)), "anna-writes to anna@example.org ben@example.org: sick f.example")
		w.die(f, day(94))
		want(w, "dead", w.news(day(94)), "anna-writes to anna@example.org ben@example.org: dead f.example")
	})
}
