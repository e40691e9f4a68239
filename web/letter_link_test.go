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
	posts, err := r.store.Posts(r.t.Context(), []digest.PostID{id})
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
	subs, err := r.store.AllSubscriptions(r.t.Context(), d.ID)
	r.must(err)
	if len(subs) != 1 {
		r.t.Fatalf("%d subscriptions", len(subs))
	}
	return subs[0].Subscription, subs[0].Paused, subs[0].PausedUntil
}

// TestLettersHaveTheLinks checks that the email of a digest has the links that these pages serve.
func TestLettersHaveTheLinks(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.hadKite("ann@example.org")
		b := edition.New(edition.Options{Store: r.store, Signer: r.signer, BaseURL: "https://digest.example"})
		letters, err := b.Render(r.t.Context(),
			[]digest.Delivery{{Edition: r.edition(d), UserID: d.UserID, Email: "ann@example.org",
				TimeZone: "Europe/Paris"}})
		r.must(err)
		text := strings.ReplaceAll(strings.Join(letters[0].Encoded.Text, ""), "=\r\n", "")
		save, site := r.letterPaths(d, "A kite")
		for _, want := range []string{"Save: https://digest.example" + save, "Site settings: https://digest.example" +
			site, "https://digest.example/settings\r\n", "#pause\r\n"} {
			if !strings.Contains(text, want) {
				r.t.Errorf("no %s in\n%s", want, text)
			}
		}
	})
}

// TestSaveByLetter checks that a GET changes nothing, that the button saves the post, and that it
// can be undone.
func TestSaveByLetter(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.hadKite("ann@example.org")
		save, _ := r.letterPaths(d, "A kite")
		saved := func() bool {
			all, err := r.store.SavedAmong(r.t.Context(), u.ID, []digest.PostID{r.idOf(d, "A kite")})
			r.must(err)
			return len(all) > 0
		}
		v := r.visitor()
		v.do("HEAD", save, "", nil).status(http.StatusOK)
		// a scanner that posts to links in emails
		v.do("POST", save, urlencoded,
			strings.NewReader("List-Unsubscribe=One-Click")).status(http.StatusMethodNotAllowed)
		a := v.get(save).status(http.StatusOK).shows("h1", "A kite").shows("main form button", "Save post")
		if saved() || a.Header.Get("Referrer-Policy") != "same-origin" {
			r.t.Error("to look saves it, or the link leaks")
		}
		for range 2 {
			v.post(save+"/add", nil).status(http.StatusOK).shows("main form button", "Remove from saved").contains(
				"[role=status]", "Saved. You’ll find it under Saved.")
			if !saved() {
				r.t.Error("not saved")
			}
		}
		v.get(save).shows("main form button").contains("p.notice", "Saved. You’ll find it under Saved.")
		v.post(save+"/undo", nil).status(http.StatusOK).shows("main form button", "Save post")
		if saved() {
			r.t.Error("still saved")
		}
		r.must(r.store.SavePost(r.t.Context(), u.ID, r.idOf(d, "A kite"), r.now)) // by the reader
		r.now = r.now.Add(2 * time.Hour)
		v.post(save+"/add", nil).shows("main form button", "Remove from saved")
		v.post(save+"/undo", nil).status(http.StatusOK).shows("main form button").contains("p.notice",
			"Saved. You’ll find it under Saved.")
		if !saved() {
			r.t.Error("a link that anybody may have removes what the reader saved")
		}
	})
}

// TestSiteByLetter checks that only buttons change the site's settings, and that the page can undo
// each change.
func TestSiteByLetter(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.hadKite("ann@example.org")
		_, link := r.letterPaths(d, "A kite")
		was, _, _ := r.subOf(d)
		v := r.visitor()
		v.get(link).status(http.StatusOK).shows("h1", "Wind").shows("main form button", "Headlines only", "1 week",
			"1 month", "Until I resume", "Pause until that day", "Unfollow")
		if now, paused, _ := r.subOf(d); now != was || paused {
			r.t.Error("to look changes it")
		}

		var a answer
		for range 2 {
			a = v.post(link+"/display", url.Values{"display": {"headlines"}, "was": {"full"}}).status(
				http.StatusOK).shows(".display button", "Undo")
		}
		if now, _, _ := r.subOf(d); now.Display != digest.Headlines || now.Folder != "Sky" {
			r.t.Errorf("became %+v", now)
		}
		v.get(link).shows(".display button", "Same as the edition", "Excerpts", "Full text")
		v.post(link+"/display", url.Values{"display": a.attrs(".display button", "value")}).status(http.StatusOK)
		if now, _, _ := r.subOf(d); now != was {
			r.t.Errorf("came back as %+v", now)
		}
		v.post(link+"/display", url.Values{"display": {"upside down"}}).status(http.StatusBadRequest)

		day := digest.DateOf(r.now.In(paris(r.t))).Plus(9)
		v.post(link+"/pause", url.Values{"until": {day.String()}}).status(http.StatusOK).contains("[role=status]",
			day.Format("Monday 2 January 2006"))
		_, paused, until := r.subOf(d)
		if want := time.Date(day.Year, day.Month, day.Day-1, 12, 0, 0, 0, paris(r.t)); !paused || !until.Equal(want) {
			r.t.Errorf("paused %v until %s, want %s", paused, until, want)
		}
		v.get(link).contains(".notice", "Paused until the edition of "+day.Format("Monday 2 January 2006"))
		v.post(link+"/resume", nil).status(http.StatusOK).contains("[role=status]", "Resumed.")
		if _, paused, until := r.subOf(d); paused || !until.IsZero() {
			r.t.Error("still paused")
		}
		v.post(link+"/pause", url.Values{"for": {""}}).status(http.StatusOK).contains("[role=status]", "Paused")
		v.get(link).contains(".notice", "Paused").shows("main form button", "Headlines only", "Resume", "1 week",
			"1 month", "Until I resume", "Pause until that day", "Unfollow")
		v.post(link+"/pause", url.Values{"for": {"week"}}).status(http.StatusOK).contains("[role=status]",
			"Paused until the edition of")
		for _, wrong := range []string{"", "2026-02-30", "2001-01-01", "9999-12-31"} {
			v.post(link+"/pause", url.Values{"until": {wrong}}).status(http.StatusBadRequest).contains("[role=alert]",
				"Nothing was changed.")
		}
	})
}

func paris(t testing.TB) *time.Location {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestLeaveByLetter checks that unsubscribing with the link can be undone, immediately and later,
// with all settings.
func TestLeaveByLetter(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.hadKite("ann@example.org")
		_, link := r.letterPaths(d, "A kite")
		was, _, _ := r.subOf(d)
		was.Title, was.Most = "Mine", 3
		r.must(r.store.SetSubscription(t.Context(), was))
		_, err := r.store.AddFilter(t.Context(), digest.Filter{DigestID: d.ID, FeedID: was.FeedID, Words: "football"},
			r.now)
		r.must(err)
		v := r.visitor()
		v.post(link+"/leave", nil).status(http.StatusOK).contains("[role=status]",
			"You no longer follow this site.").shows("main button", "Follow again")
		if got := r.subscribedTo(d); got != "" {
			r.t.Errorf("subscribed to %s", got)
		}
		for _, form := range []string{"/display", "/pause", "/resume", "/leave"} {
			v.post(link+form, url.Values{"display": {""}, "for": {"week"}}).status(http.StatusOK).shows("main button",
				"Follow again")
		}
		v.get(link).status(http.StatusOK).shows("h1", "Mine").contains("main", "You no longer follow this site.").shows(
			"main button", "Follow again")
		for range 2 {
			v.post(link+"/back", nil).status(http.StatusOK).shows("h1", "Mine")
		}
		if now, _, _ := r.subOf(d); now != was {
			r.t.Errorf("came back as %+v", now)
		}
		if filters, err := r.store.Filters(t.Context(), d.ID); err != nil || len(filters) != 1 {
			r.t.Errorf("its filters are %+v, %v", filters, err)
		}
		for _, form := range []string{"/display", "/pause", "/resume", "/leave", "/back"} {
			v.get(link + form).status(http.StatusSeeOther).leads(link)
		}
	})
}

// TestAnotherReaderOpensTheLink checks that another signed-in reader sees whose email it is, and
// not their own navigation.
func TestAnotherReaderOpensTheLink(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.hadKite("ann@example.org")
		save, site := r.letterPaths(d, "A kite")
		bob, _ := r.reader("bob@example.org")
		own := r.visitor().signIn(u)
		for _, link := range []string{save, site, r.unsubscribePath(d)} {
			a := bob.get(link).status(http.StatusOK).contains("main .aside", "This email was sent to another reader")
			if got := a.Header.Get("Digest-Account"); got == "" || got == "none" {
				r.t.Errorf("%s says that %q is signed in, so that what is kept on the device goes", link, got)
			}
			if len(a.find("header nav")) > 0 {
				r.t.Errorf("%s has the other's navigation", link)
			}
			if len(own.get(link).status(http.StatusOK).find("header nav")) == 0 {
				r.t.Errorf("%s lacks the reader's own", link)
			}
		}
		bob.post(save+"/add", nil).status(http.StatusOK).contains("[role=status]",
			"Saved. You’ll find it under Saved.")
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

		r.must(r.store.VoidLinks(r.t.Context(), d.ID))
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
	refs, err := p.store.EditionPosts(p.t.Context(), []digest.Delivery{{Edition: p.edition(d)}})
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
	info, err := p.store.Subscription(p.t.Context(), d.ID, refs[p.edition(d).ID][0].FeedID)
	p.must(err)
	sub := info.Subscription
	sub.Display = digest.Headlines
	p.must(p.store.ByLink(p.t.Context(), store.LinkUse{DigestID: d.ID, EmailDate: p.edition(d).LocalDate}, p.now,
		func(st *store.Store) error {
			return errors.Join(st.SetSubscription(p.t.Context(), sub),
				st.SetCadence(p.t.Context(), d.ID, digest.Workdays, p.now))
		}))
	for i, undo := range p.undoPaths(d) {
		p.add("undo", v.get(undo))
		if i == 0 { // somebody has changed it since
			p.must(p.store.SetCadence(p.t.Context(), d.ID, digest.Daily, p.now))
			sub.Display = digest.FullText
			p.must(p.store.SetSubscription(p.t.Context(), sub))
		}
		p.add("undo", v.post(undo, nil))
		p.add("undo", v.post(undo, nil))
	}
}
