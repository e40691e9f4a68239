package store_test

import (
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/store"
)

// byLink makes a change by a link in the email of 18 November.
func (w world) byLink(d digest.Digest, now time.Time, change func(*store.Store) error) {
	w.Helper()
	by := store.LinkUse{DigestID: d.ID, EmailDate: digest.Date{Year: 2026, Month: time.November, Day: 18}}
	w.ok(w.ByLink(w.ctx, by, now, change))
}

// linkChanges lists the recorded changes of a reader's digests, latest first.
func (w world) linkChanges(d digest.Digest) []store.ListedLinkChange {
	w.Helper()
	changes := must(w.Readers.LinkChanges(w.ctx, d.UserID, time.Time{}))
	return changes
}

func describeChanges[C any](changes []C, of func(C) digest.LinkChange) string {
	var all []string
	for _, c := range changes {
		x := of(c)
		all = append(all, fmt.Sprintf("%s %s: %s -> %s", x.Title, x.Setting, x.OldValue, x.NewValue))
	}
	return strings.Join(all, "; ")
}

func (w world) recorded(d digest.Digest) string {
	w.Helper()
	return describeChanges(w.linkChanges(d), func(c store.ListedLinkChange) digest.LinkChange { return c.LinkChange })
}

// linkNews describes the email that would report changes to a reader now; "" if no email would.
func (w world) linkNews(now time.Time) (store.LinkNews, string) {
	w.Helper()
	news, found := must2(w.Editions.NextLinkNews(w.ctx, now))
	if !found {
		return news, ""
	}
	return news, news.User.Email + ": " +
		describeChanges(news.Changes, func(c store.LinkChangeView) digest.LinkChange { return c.LinkChange })
}

// tellLinkNews returns the email that is due, and records it as sent.
func (w world) tellLinkNews(now time.Time) string {
	w.Helper()
	news, said := w.linkNews(now)
	w.ok(w.Editions.LinkNewsTold(w.ctx, news, now))
	return said
}

// editionChanges describes the changes in the notices of a digest's last edition.
func (w world) editionChanges(d digest.Digest) string {
	w.Helper()
	list := must(w.Editions.Editions(w.ctx, d.ID, 1))
	if len(list) == 0 {
		return "no edition"
	}
	told := must(w.Editions.Notices(w.ctx, []digest.Delivery{{Edition: list[0]}}))
	return list[0].LocalDate.String() + ": " +
		describeChanges(told[list[0].ID], func(n digest.Notice) digest.LinkChange {
			if n.Change == nil || n.FeedID != 0 {
				return digest.LinkChange{}
			}
			return *n.Change
		})
}

// linkSetting describes the settings that links can change in a digest with one or two feeds.
func (w world) linkSetting(d digest.Digest) string {
	w.Helper()
	d = w.again(d)
	said := fmt.Sprintf("%s %s", digest.StateValue(d.State, d.PausedUntil), d.Cadence)
	subs := must(w.Subscriptions.AllSubscriptions(w.ctx, d.ID))
	for _, s := range subs {
		said += fmt.Sprintf("; %s %q %q %q %v %s", s.Feed.URL, s.Title, s.Folder, s.Display, s.Paused,
			digest.StateValue(digest.DigestPaused, s.PausedUntil))
	}
	filters := must(w.Subscriptions.Filters(w.ctx, d.ID))
	for _, f := range filters {
		said += fmt.Sprintf("; %d %s", f.FeedID, f.Words)
	}
	return said
}
