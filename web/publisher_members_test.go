package web_test

import (
	"archive/zip"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/store"
)

const membersPath = "/newsletters/anna-writes/members"

// joined adds a member to a newsletter.
func (r *room) joined(n digest.Newsletter, email string) digest.Member {
	r.t.Helper()
	m, _, err := r.store.Join(r.t.Context(), n.ID, store.Joining{Email: email, TimeZone: "Asia/Tokyo", Asked: true,
		Proof: digest.Proof{Form: "the <b>page</b>", Address: "192.0.2.9", At: r.now}}, r.now)
	r.must(err)
	return m
}

// TestMembersOfPublisher checks the pages of the list of members, and the search by a part of their address.
func TestMembersOfPublisher(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		v.get(membersPath).status(http.StatusOK).contains(".sheet", "No members yet.")
		var last digest.Member
		for i := range 105 {
			last = r.joined(n, fmt.Sprintf("m%03d@example.org", i))
		}
		r.must(r.store.SetDigestState(r.t.Context(), last.DigestID, digest.DigestLeft, r.now))
		page := v.get(membersPath).status(http.StatusOK)
		if got := page.texts("ul[aria-label=Members] a"); len(got) != 100 || got[0] != "m000@example.org" {
			r.t.Errorf("%d members are listed: %v", len(got), got)
		}
		later := page.attrs(".sheet p a", "href")
		more := v.get(later[len(later)-1]).status(http.StatusOK)
		more.shows("ul[aria-label=Members] a", "m100@example.org", "m101@example.org", "m102@example.org",
			"m103@example.org", "m104@example.org")
		more.contains(".sheet", "unsubscribed on 20 November 2026", "since 20 November 2026", "First page")
		find := func(query string) answer { return v.get(membersPath + "?" + query).status(http.StatusOK) }
		find("q=M00").contains("ul[aria-label=Members]", "m000@example.org", "m009@example.org")
		find("state=left").shows("ul[aria-label=Members] a", "m104@example.org")
		find("q=m104&state=active").contains(".sheet", "No results.")
		for _, hostile := range []string{"q=%25", "q=_", "q=%00", "q=%ff%fe", "q='--", "q=%22%3E%3Cscript%3E", "q=!",
			"q=" + strings.Repeat("x", 5000), "state='", "after=-1", "after=99999999999999999999"} {
			if page := find(hostile); strings.Contains(page.body, "<script>") {
				r.t.Errorf("%s is said back as it came", hostile)
			}
		}
		find("q=%25").shows("ul[aria-label=Members] a")
	})
}

// TestOneMember checks the history of a membership, and that a member whom the publisher unsubscribes stays
// unsubscribed.
func TestOneMember(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		m := r.joined(n, "mo@example.org")
		path := fmt.Sprint(membersPath, "/", m.DigestID)
		page := v.get(path).status(http.StatusOK).shows("h1", "mo@example.org").contains(".facts", "the <b>page</b>",
			"192.0.2.9", "20 Nov 2026, 12:00 UTC", "Asia/Tokyo", "every day")
		page.contains(".letters", "Joined")
		v.post(path+"/leave", nil).status(http.StatusSeeOther)
		v.get(path+"?saved=left").contains(".notice", "Member unsubscribed.").contains(".letters",
			"Unsubscribed").contains(".facts", "unsubscribed on 20 November 2026").shows("details")
		// Neither the publisher nor an import adds them again.
		form := url.Values{"email": {"MO@example.org"}, "zone": {"UTC"}, "proof": {"by letter"}}
		v.post(membersPath+"/add", form).status(http.StatusUnprocessableEntity).contains(".wrong",
			"only that person can subscribe again")
		v.send(membersPath+"/import", "list.csv", "email,confirmed_at\nmo@example.org,2026-01-01\n",
			map[string]string{"how": "join"}).status(http.StatusOK).contains(".rows",
			"unsubscribed earlier, not added again")
		if m, err := r.store.Member(r.t.Context(), n.ID, "mo@example.org"); err != nil || m.State != digest.DigestLeft {
			r.t.Errorf("stands so: %+v, %v", m, err)
		}
		for _, no := range []string{"/0", "/x", "/99999", fmt.Sprint("/", n.ArchiveID)} {
			v.get(membersPath + no).status(http.StatusNotFound)
			v.post(membersPath+no+"/leave", nil).status(http.StatusNotFound)
		}
		r.stands(digest.Digest{ID: n.ArchiveID}, digest.DigestActive)
	})
}

// TestAddMember checks that the proof of consent contains the publisher's statement and address.
func TestAddMember(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		v.get(membersPath+"/add").status(http.StatusOK).has("#zone", "value", "Europe/Paris")
		add := func(email, zone, proof string) answer {
			return v.post(membersPath+"/add", url.Values{"email": {email}, "zone": {zone}, "proof": {proof}})
		}
		add("mo", "UTC", "x").status(http.StatusUnprocessableEntity).contains(".wrong", "isn’t an email address")
		add("mo@example.org", "Asia/Tokio", "at the fair").status(http.StatusUnprocessableEntity).contains(".wrong",
			"Asia/Tokyo").has("[name=proof]", "value", "at the fair", "at the fair")
		add("mo@example.org", "UTC", " ").status(http.StatusUnprocessableEntity).contains(".wrong", "how they asked")
		add("mo@example.org", "UTC", strings.Repeat("x", 201)).status(http.StatusUnprocessableEntity).contains(".wrong",
			"too long")
		to := add("mo@example.org", "Asia/Tokyo", "at the <i>fair</i>\r\nin Lyon").status(
			http.StatusSeeOther).Header.Get("Location")
		v.get(to).contains(".notice", "Member added.").contains(".facts",
			"at the <i>fair</i> in Lyon (as anna@example.org said)", "not on this site")
		m, err := r.store.Member(r.t.Context(), n.ID, "mo@example.org")
		r.must(err)
		if !m.At.IsZero() || m.TimeZone != "Asia/Tokyo" {
			r.t.Errorf("member: %+v", m)
		}
		r.noLetter()
	})
}

// TestImportMembersOnline previews a list, imports it, and exports the members again.
func TestImportMembersOnline(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const list = "email,confirmed_at,state\nmo@example.org,2026-01-01,\nann@example.org,,\nlee@example.org,,left\n=<script>,2026-01-01,\n"
		v.get(membersPath + "/import").status(http.StatusOK)
		v.send(membersPath+"/import", "x.csv", list, nil).status(http.StatusOK).contains(".sheet",
			"Nothing was imported yet.").
			shows(".rows .number", "1", "1", "1", "1").contains(".lines", "x.csv, line 5")
		if count, err := r.store.CountMembers(r.t.Context(), n.ID); err != nil || count != 0 {
			r.t.Fatalf("a look has made %d members, %v", count, err)
		}
		v.send(membersPath+"/import", "x.csv", list, map[string]string{"how": "join"}).status(http.StatusOK).contains(
			"h1", "List imported").contains(".rows", "joined", "no proof of consent")
		v.send(membersPath+"/import", "x.csv", list, map[string]string{"how": "join"}).status(http.StatusOK).contains(
			".rows", "already members")
		v.send(membersPath+"/import", "x.csv", list, map[string]string{"how": "ask"}).status(http.StatusOK).contains(
			".rows", "will get an email to confirm")
		v.send(membersPath+"/import", "x.csv", list, map[string]string{"how": "ask"}).status(http.StatusOK).contains(
			".rows", "already asked to confirm, not asked again")
		v.send(membersPath+"/import", "x.csv", "name\nMo\n", nil).status(http.StatusBadRequest).contains(".wrong",
			"email")
		v.post(membersPath+"/import", nil).status(http.StatusBadRequest).contains(".wrong", "No file chosen")
		v.send(membersPath+"/import", "x.csv", strings.Repeat("x", 11<<20),
			nil).status(http.StatusRequestEntityTooLarge).contains(".wrong", "larger than 10 MB")

		got := v.get("/newsletters/anna-writes/members.zip").status(http.StatusOK)
		if name := got.Header.Get(
			"Content-Disposition"); name != `attachment; filename=anna-writes-members-2026-11-20.zip` {
			r.t.Errorf("the file is called %s", name)
		}
		z, err := zip.NewReader(strings.NewReader(got.body), int64(len(got.body)))
		r.must(err)
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		if strings.Join(names, " ") != "README.txt members.csv suppressed.csv asked.csv" {
			r.t.Errorf("it holds %v", names)
		}
		v.send(membersPath+"/import", "members.zip", got.body, map[string]string{"how": "left"}).status(http.StatusOK)
		if count, err := r.store.CountMembers(r.t.Context(), n.ID); err != nil || count != 0 {
			r.t.Errorf("%d are left, %v", count, err)
		}
		r.must(r.store.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterEnded, "", r.now))
		v.send(membersPath+"/import", "x.csv", "email,confirmed_at\nnew@example.org,2026-01-01\n",
			map[string]string{"how": "join"}).status(http.StatusBadRequest).contains(".wrong",
			"not open to new members")
	})
}

// TestImportOneMailbox checks that a list with many spellings of one mailbox adds only three of them, even with
// proofs of consent.
func TestImportOneMailbox(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		list := "email,confirmed_at\nmo@example.org,2026-01-01\n"
		for i := range 250 {
			list += fmt.Sprintf("v.ictim+%d@gmail.com,2026-01-01\n", i)
		}
		v.send(membersPath+"/import", "x.csv", list, map[string]string{"how": "join"}).status(http.StatusOK).contains(
			".rows", "no proof of consent")
		if count, err := r.store.CountMembers(r.t.Context(), n.ID); err != nil || count != 4 {
			r.t.Errorf("%d members, want 4; %v", count, err)
		}
	})
}
