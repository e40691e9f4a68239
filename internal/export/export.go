// Package export writes all data of a reader into a ZIP file. Their account, feeds and filters are data files. Every
// edition is a page for any browser, also offline.
//
// The file contains no tokens or hashes that grant access, and no posts before their midnight. It is written as a
// stream with little memory: a few posts are read at a time and written immediately.
//
// Read reads the small parts, so that a database error is found before the first byte. Write writes everything.
package export

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/store"
)

// mostEditions is more than one edition a day in a lifetime.
const mostEditions = 50_000

// An Export holds the small parts of a reader's data.
type Export struct {
	store    *store.Store
	now      time.Time
	user     digest.User
	digest   digest.Digest
	account  account
	active   []store.SubscriptionInfo
	paused   []store.SubscriptionInfo
	filters  []digest.Filter
	editions []digest.Edition // released ones, newest first

	speaks    *catalogue.Language
	templates *template.Template // for the pages
	zip       *zip.Writer
	labels    map[digest.FeedID]digest.FeedLabel // with the reader's own titles; loaded on demand
}

// Read reads the small parts. d is the user's own digest, and speaks the language of the pages.
func Read(ctx context.Context, st *store.Store, u digest.User, d digest.Digest, speaks *catalogue.Language,
	now time.Time) (*Export, error) {
	e := &Export{store: st, now: now, user: u, digest: d, speaks: speaks, templates: parseTemplates(speaks),
		labels: map[digest.FeedID]digest.FeedLabel{}}
	for _, read := range []func(context.Context) error{e.readAccount, e.readFeeds, e.readEditions} {
		if err := read(ctx); err != nil {
			return nil, fmt.Errorf("reading a reader's data: %w", err)
		}
	}
	return e, nil
}

func (e *Export) readFeeds(ctx context.Context) (err error) {
	if e.active, err = e.store.Subscriptions.Subscriptions(ctx, e.digest.ID); err != nil {
		return err
	}
	if e.paused, err = e.store.Subscriptions.PausedSubscriptions(ctx, e.digest.ID); err != nil {
		return err
	}
	e.filters, err = e.store.Subscriptions.Filters(ctx, e.digest.ID)
	return err
}

func (e *Export) subscriptions() []store.SubscriptionInfo { return slices.Concat(e.active, e.paused) }

// readEditions omits an edition before its midnight, which another process with a fast clock may have released.
func (e *Export) readEditions(ctx context.Context) error {
	all, err := e.store.Editions.Editions(ctx, e.digest.ID, mostEditions)
	for _, edition := range all {
		if !e.now.Before(edition.DueAt) {
			e.editions = append(e.editions, edition)
		}
	}
	return err
}

// Write writes the ZIP file. After an error the output is not a valid ZIP file.
func (e *Export) Write(ctx context.Context, w io.Writer) error {
	e.zip = zip.NewWriter(w)
	for _, f := range []struct {
		name  string
		write func(context.Context, io.Writer) error
	}{
		{"README.txt", e.writeReadme},
		{"account.json", e.writeAccount},
		{"feeds.opml", e.writeOPML},
		{"feeds.json", e.writeFeeds},
		{"filters.json", e.writeFilters},
		{"index.html", e.writeIndex},
		{"editions.json", e.writeEditions},
		{"posts.jsonl", e.writePosts},
		{"saved.jsonl", e.writeSaved},
		{"saved.html", e.writeSavedPage},
		{"held.jsonl", e.writeHeld},
	} {
		if err := e.file(ctx, f.name, f.write); err != nil {
			return err
		}
	}
	for _, edition := range e.editions {
		write := func(ctx context.Context, w io.Writer) error { return e.writeEdition(ctx, w, edition) }
		if err := e.file(ctx, pageName(edition), write); err != nil {
			return err
		}
	}
	if err := e.zip.Close(); err != nil {
		return fmt.Errorf("ending the file: %w", err)
	}
	return nil
}

// file writes one file. Names are fixed or dates, and contain nothing from feeds.
func (e *Export) file(ctx context.Context, name string, write func(context.Context, io.Writer) error) error {
	w, err := e.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: e.now})
	if err == nil {
		err = write(ctx, w)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

func (e *Export) writeReadme(_ context.Context, w io.Writer) error {
	text := catalogue.Key(`Everything we store about %s, as of %s UTC.

index.html      start here: read your editions in any browser, offline
editions/       one page for each edition, named by its date
saved.html      your saved posts

account.json    your address, settings, sign-ins, last import, and sites you unfollowed
feeds.opml      your sites, for any feed reader
feeds.json      your sites with your titles, folders and settings
filters.json    your filters
editions.json   a list of your editions and the delivery of each email
posts.jsonl     every post of your editions, one JSON object per line
saved.jsonl     your saved posts, one JSON object per line
held.jsonl      your filtered posts, one JSON object per line

Pictures are not included. Posts belong to their authors. Times are UTC.
Nothing in this ZIP file lets anybody sign in to your account. Posts older than
this site's storage limit are not included, except your saved posts.
`)
	_, err := io.WriteString(w,
		text.With(e.user.Email, catalogue.Time("2 January 2006, 15:04", e.now.UTC())).In(e.speaks))
	return err
}

func writeJSON(w io.Writer, v any) error {
	j := json.NewEncoder(w)
	j.SetEscapeHTML(false)
	j.SetIndent("", "  ")
	return j.Encode(v)
}

func (e *Export) writeOPML(_ context.Context, w io.Writer) error {
	var offers []feed.Offer
	for _, s := range e.subscriptions() {
		offers = append(offers, feed.Offer{URL: digest.PublicAddress(s.Feed.URL), Title: titleOf(s), Folder: s.Folder,
			Secret: digest.IsHidden(s.Feed.URL)})
	}
	return feed.WriteOPML(w, "Feeds of "+e.user.Email, offers)
}

// FileName returns the suggested name of the file.
func FileName(now time.Time) string { return "digest-" + now.UTC().Format(time.DateOnly) + ".zip" }
