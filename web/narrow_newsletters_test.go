package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/store"
)

// newsletterPages adds the pages of a newsletter and its members, and of links.
func (p *pageShow) newsletterPages(me *visitor, u digest.User, d digest.Digest) {
	p.t.Helper()
	owner, _ := p.user("publisher@example.org")
	n, err := p.store.Newsletters.AddNewsletter(p.t.Context(), digest.Newsletter{
		Slug: strings.Repeat("x", 40), Name: endless[:60], HeaderText: "https://a.example/" +
			endless, FooterText: endless, Description: mixed + "\n\n" + endless, SiteURL: "https://" +
			strings.Repeat("long.", 20) + "example/",
		AddressLine: endless[:200], Cadence: digest.Daily, State: digest.NewsletterActive,
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, owner.ID, p.now)
	p.must(err)
	path := "/n/" + n.Slug
	guest := p.visitor()
	p.add("newsletter", guest.get(path))
	p.add("newsletter", guest.post(path+"/join", url.Values{"email": {endless}}))
	p.add("newsletter_archive", guest.get(path+"/letters"))
	p.brings(digest.Subscription{DigestID: n.ArchiveID}, endless, uglyPosts("A letter's own.")...)
	email := strings.Repeat("w", 64) + "@" + strings.Repeat(strings.Repeat("y", 40)+".", 4) + "example"
	guest.post(path+"/join",
		url.Values{"email": {email}, "zone": {"America/Argentina/ComodRivadavia"}}).status(http.StatusSeeOther)
	for _, l := range p.letters() {
		if strings.HasPrefix(l.to, "w") {
			p.add("newsletter_join", guest.get(path+"/confirm?token="+l.token))
			p.add("newsletter_join", guest.post(path+"/confirm", url.Values{"token": {l.token}}))
		}
	}
	_, _, err = p.store.Members.Join(p.t.Context(), n.ID, store.Joining{Email: u.Email, TimeZone: "UTC", Asked: true},
		p.now)
	p.must(err)
	p.midnight()
	p.add("newsletter", guest.get(path+"?asked=1"))
	p.add("newsletter_archive", guest.get(path+"/letters"))
	letters := p.add("memberships", me.get("/memberships")).attrs(".also a", "href")
	p.add("edition", me.get(letters[0]))
	waits := n
	waits.Slug, waits.State = strings.Repeat("y", 40), digest.NewsletterPending
	_, err = p.store.Newsletters.AddNewsletter(p.t.Context(), waits, owner.ID, p.now)
	p.must(err)
	p.add("operator/newsletters", me.get("/operator/newsletters"))
	p.publisherPages(n, owner)
	p.add("operator/newsletters", me.get("/operator/newsletters"))
	p.linkPages(me, d)
}

// publisherPages adds the pages of the newsletter's owner.
func (p *pageShow) publisherPages(n digest.Newsletter, owner digest.User) {
	p.t.Helper()
	v := p.visitor().signIn(owner)
	n.ApproveWithin, n.WantedName, n.WantedFromName = time.Hour, endless[1:60], endless[2:60]
	p.must(p.store.Newsletters.SetNewsletter(p.t.Context(), n, p.now))
	p.brings(digest.Subscription{DigestID: n.ArchiveID}, mixed, uglyPosts("Approved.")...)
	p.midnight()
	p.brings(digest.Subscription{DigestID: n.ArchiveID}, endless, uglyPosts("Another of its own.")...)
	path := "/newsletters/" + n.Slug
	p.add("publisher/publisher_list", v.get("/newsletters"))
	p.add("publisher/new", v.get("/newsletters/new"))
	p.add("publisher/new", v.post("/newsletters/new", url.Values{"address": {endless}, "name": {mixed},
		"slug": {endless}, "line": {endless}, "description": {mixed}}))
	p.must(p.store.Newsletters.SetNewsletterState(p.t.Context(), n.ID, digest.NewsletterHeld, endless, p.now))
	p.add("publisher/publisher_list", v.get("/newsletters"))
	p.add("publisher/publisher", v.get(path))
	p.add("publisher/logo", v.sendFile(path+"/logo", "picture", endless+".png", endless, nil))
	v.sendFile(path+"/logo", "picture", "logo.png", wideLogo(720, 180), nil).status(http.StatusSeeOther)
	p.add("newsletter", p.visitor().get("/n/"+n.Slug))
	for _, page := range []string{"settings", "logo", "domain", "feeds", "people", "end", "tokens", "numbers"} {
		p.add("publisher/"+page, v.get(path+"/"+page))
	}
	p.add("publisher/settings",
		v.post(path+"/settings", url.Values{"name": {endless}, "approve": {"1"}, "at": {endless},
			"description": {mixed}}))
	p.add("publisher/feeds", v.post(path+"/feeds", url.Values{"address": {endless}}))
	p.add("publisher/people", v.post(path+"/people", url.Values{"email": {endless}}))
	ed, _ := p.user(strings.Repeat("e", 64) + "@" + strings.Repeat(strings.Repeat("y", 40)+".", 4) + "example")
	p.must(p.store.Newsletters.SetRole(p.t.Context(), n.ID, ed.ID, digest.RoleEditor, p.now))
	p.add("publisher/people", v.get(path+"/people"))
	p.must(p.store.Newsletters.OfferNewsletter(p.t.Context(), n.ID, ed.ID, p.now))
	p.add("publisher/people", v.get(path+"/people?saved=offered"))
	p.add("publisher/people", p.visitor().signIn(ed).get(path+"/people"))
	p.add("publisher/tokens", v.post(path+"/tokens", url.Values{"name": {endless[:90]}}))
	p.add("publisher/tokens", v.post(path+"/tokens", url.Values{"name": {endless}}))
	p.add("publisher/domain", v.post(path+"/domain", url.Values{"address": {endless}}))
	own, err := p.registrar().Name(p.t.Context(), n.ID, strings.Repeat("m", 64)+"@"+
		strings.Repeat(strings.Repeat("y", 40)+".", 4)+"example")
	p.must(err)
	_, err = p.registrar().Look(p.t.Context(), own)
	p.must(err)
	p.add("publisher/domain", v.get(path+"/domain?saved=looked"))
	p.add("publisher/end", v.post(path+"/end", url.Values{"slug": {endless}}))
	date := v.get(path+"/letters").attrs("ul[aria-labelledby=waiting] a", "href")[0]
	p.add("publisher/letter", v.get(date))
	p.add("publisher/letter", v.get(date+"?on=text"))
	later := path + "/letters/" + p.now.AddDate(0, 0, 9).Format(time.DateOnly)
	v.post(later, url.Values{"subject": {endless[:150]}, "note": {mixed}}).status(http.StatusSeeOther)
	p.add("publisher/letter", v.get(later))
	p.add("publisher/letters", v.get(path+"/letters"))
	p.add("publisher/join", v.get(path+"/members/add"))
	p.add("publisher/join", v.post(path+"/members/add", url.Values{"email": {endless}, "zone": {"Amerika/Argentinien"},
		"proof": {endless + endless}}))
	p.must(p.store.Newsletters.SetNewsletterState(p.t.Context(), n.ID, digest.NewsletterActive, "", p.now))
	email := strings.Repeat("m", 64) + "@" + strings.Repeat(strings.Repeat("y", 40)+".", 4) + "example"
	at := v.post(path+"/members/add", url.Values{"email": {email}, "zone": {"America/Argentina/ComodRivadavia"},
		"proof": {endless[:200]}}).status(http.StatusSeeOther)
	p.add("publisher/member", v.get(at.Header.Get("Location")))
	p.add("publisher/members", v.get(path+"/members?q=m"))
	p.add("publisher/import", v.get(path+"/members/import"))
	p.add("publisher/import", v.send(path+"/members/import", endless+".csv", "email\n"+endless+"\nx@example.org\n",
		nil))
	p.add("publisher/import", v.send(path+"/members/import", endless+".csv", endless+"\nx\n", nil))
	p.add("publisher/next", v.get(path+"/next"))
	p.add("publisher/next", v.post(path+
		"/next", url.Values{"date": {"2026-01-01"}, "subject": {endless}, "note": {mixed}}))
	v.post(v.get(path+"/next").attrs(".waiting form", "action")[0], nil).status(http.StatusSeeOther)
	p.add("publisher/next", v.get(path+"/next?on=text"))
}

// linkPages adds the pages of links and of a failing feed.
func (p *pageShow) linkPages(me *visitor, d digest.Digest) {
	p.t.Helper()
	far := "https://" + strings.Repeat("far.", 40) + "example/" + endless
	for _, site := range []string{endless, leftward} {
		p.brings(digest.Subscription{DigestID: d.ID}, site, pointing(mixed, "https://a.example/"+site[:20], far))
	}
	p.midnight()
	p.add("links", me.get("/links"))
	p.add("links", me.get("/links?url="+url.QueryEscape(far)))
	p.add("links", me.get("/links?site="+endless))
	p.add("settings_token", me.get("/settings/token"))
	p.add("settings_token", me.post("/settings/token", nil))
	site := p.blog(map[string]string{"/": "<title>" + mixed +
		"</title><link rel=alternate type=application/rss+xml title='" + leftward + "' href='/" + endless + "'>", "/" +
		endless: rss(endless, "x")})
	link := p.failing(d, mixed, site.URL+"/old"+endless)
	p.add("remedies", p.visitor().get(link))
	p.add("remedies", p.visitor().post(link+"/find", nil))
	sub, err := p.store.Subscriptions.AllSubscriptions(p.t.Context(), d.ID)
	p.must(err)
	own := sub[0].Subscription
	own.Trial, _ = digest.NewTrial(digest.Date{Year: 2026, Month: time.November, Day: 1}, true).
		On(digest.Date{Year: 2026, Month: time.November, Day: 15})
	p.must(p.store.Subscriptions.SetSubscription(p.t.Context(), own))
	trial := p.trialPath(d, own.FeedID)
	p.add("trial", p.visitor().get(trial+"/stop"))
	p.add("feed", me.get(fmt.Sprint("/feeds/", own.FeedID)))
	p.add("trial", p.visitor().post(trial+"/keep", nil))
	p.add("trial", p.visitor().get(trial+"/keep"))
	p.add("trial", p.visitor().post(trial+"/stop", nil))
	p.add("trial", p.visitor().post(trial+"/back", nil))
}
