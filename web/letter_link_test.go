package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/store"
)

// letterPaths returns the paths of the links for a post and its site in the email of the latest
// edition.
func (r *room) letterPaths(d digest.Digest, title string) (save, site string) {
	r.t.Helper()
	id := r.idOf(d, title)
	posts, err := r.store.Editions.Posts(r.t.Context(), []digest.PostID{id})
	r.must(err)
	e := digest.InRound(int64(r.edition(d).ID), d.LinkRound)
	return "/save/" + r.signer.SignPair(digest.ForSaving, e, int64(id)), "/site/" +
		r.signer.SignPair(digest.ForSite, e, int64(posts[0].FeedID))
}

// hadKite creates a digest with an edition of one post, "A kite".
func (r *room) hadKite(email string) (digest.User, digest.Digest) {
	u, d := r.user(email)
	r.brings(digest.Subscription{DigestID: d.ID, Folder: "Sky", Display: digest.FullText}, "Wind", post("A kite"))
	r.midnight()
	return u, d
}

// subOf returns the only subscription of a digest.
func (r *room) subOf(d digest.Digest) (digest.Subscription, bool, time.Time) {
	r.t.Helper()
	subs, err := r.store.Subscriptions.AllSubscriptions(r.t.Context(), d.ID)
	r.must(err)
	if len(subs) != 1 {
		r.t.Fatalf("%d subscriptions", len(subs))
	}
	return subs[0].Subscription, subs[0].Paused, subs[0].PausedUntil
}

// TestLettersHaveTheLinks checks that the email of a digest has the links that these pages serve. Package render tests
// which posts have a link to save them.
func TestLettersHaveTheLinks(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.hadKite("ann@example.org")
		b := edition.New(edition.Options{Store: r.store.Editions, Signer: r.signer, BaseURL: "https://digest.example"})
		letters, err := b.Render(r.t.Context(),
			[]digest.Delivery{{Edition: r.edition(d), UserID: d.UserID, Email: "ann@example.org",
				TimeZone: "Europe/Paris"}})
		r.must(err)
		text := strings.ReplaceAll(strings.Join(letters[0].Encoded.Text, ""), "=\r\n", "")
		html := strings.ReplaceAll(strings.Join(letters[0].Encoded.HTML, ""), "=\r\n", "")
		_, site := r.letterPaths(d, "A kite")
		for want, in := range map[string]string{"https://digest.example" + site: html,
			"https://digest.example/settings\r\n": text, "#pause\r\n": text} {
			if !strings.Contains(in, want) {
				r.t.Errorf("no %s in\n%s", want, in)
			}
		}
	})
}

// TestLetterLinksAreOnlyTheirs checks that forged links do not work. A link becomes void with the
// other links of its round, and ends with its edition and its reader.
func TestLetterLinksAreOnlyTheirs(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.hadKite("ann@example.org")
		save, site := r.letterPaths(d, "A kite")
		token := strings.TrimPrefix(save, "/save/")
		tokens := []string{"1", strings.TrimPrefix(site, "/site/"), r.signer.Sign(digest.ForEdition, 1),
			r.signer.SignPair(digest.ForRemedies, int64(d.ID), 1)}
		for i := range token {
			tokens = append(tokens, token[:i]+string(token[i]^1)+token[i+1:])
		}
		v := r.visitor()
		for _, token := range tokens {
			v.get("/save/" + token).status(http.StatusNotFound)
			v.post("/save/"+token+"/add", nil).status(http.StatusNotFound)
		}
		v.get("/site/" + token).status(http.StatusNotFound)
		never := r.signer.SignPair(digest.ForSaving, 999, 1)
		v.get("/save/" + never).status(http.StatusGone)

		v.header["Origin"] = "https://evil.example"
		v.post(save+"/add", nil).status(http.StatusForbidden)
		v.post(site+"/leave", nil).status(http.StatusForbidden)
		delete(v.header, "Origin")

		r.must(r.store.Readers.VoidLinks(r.t.Context(), d.ID))
		for _, path := range []string{save, site} {
			v.get(path).status(http.StatusGone)
			v.post(path, nil)
		}
		v.post(site+"/leave", nil).status(http.StatusGone)
		me := r.visitor().signIn(u)
		if got := me.get(site).status(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(got, "/feeds/") {
			r.t.Errorf("leads to %s", got)
		}
		if sub, paused, _ := r.subOf(d); paused || sub.Display != digest.FullText {
			r.t.Errorf("%+v", sub)
		}
		r.remove(u)
		v.get(site).status(http.StatusGone)
	})
}

// letterPages adds the pages behind the links of an email.
func (p *pageShow) letterPages(d digest.Digest) {
	p.t.Helper()
	refs, err := p.store.Editions.EditionPosts(p.t.Context(), []digest.Delivery{{Edition: p.edition(d)}})
	p.must(err)
	e, v := int64(p.edition(d).ID), p.visitor()
	for _, ref := range refs[p.edition(d).ID][:4] {
		save := "/save/" + p.signer.SignPair(digest.ForSaving, e, int64(ref.PostID))
		p.add("letter_save", v.get(save))
		p.add("letter_save", v.post(save+"/add", nil))
		site := "/site/" + p.signer.SignPair(digest.ForSite, e, int64(ref.FeedID))
		p.add("letter_site", v.get(site))
		p.add("letter_site", v.post(site+"/pause", url.Values{"until": {endless}}))
		p.add("letter_site", v.post(site+"/pause", url.Values{"for": {"month"}}))
		p.add("letter_site", v.post(site+"/resume", nil))
	}
	p.add("letter_site", v.get(fmt.Sprint("/site/", p.signer.SignPair(digest.ForSite, e, 0))))
	info, err := p.store.Subscriptions.Subscription(p.t.Context(), d.ID, refs[p.edition(d).ID][0].FeedID)
	p.must(err)
	sub := info.Subscription
	sub.Display = digest.Headlines
	p.must(p.store.ByLink(p.t.Context(), store.LinkUse{DigestID: d.ID, EmailDate: p.edition(d).LocalDate}, p.now,
		func(st *store.Store) error {
			return errors.Join(st.Subscriptions.SetSubscription(p.t.Context(), sub),
				st.Readers.SetCadence(p.t.Context(), d.ID, digest.Workdays, p.now))
		}))
	for i, undo := range p.undoPaths(d) {
		p.add("undo", v.get(undo))
		if i == 0 { // somebody has changed it since
			p.must(p.store.Readers.SetCadence(p.t.Context(), d.ID, digest.Daily, p.now))
			sub.Display = digest.FullText
			p.must(p.store.Subscriptions.SetSubscription(p.t.Context(), sub))
		}
		p.add("undo", v.post(undo, nil))
		p.add("undo", v.post(undo, nil))
	}
}
