package web_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/store"
)

const membersPath = "/newsletters/anna-writes/members"

// joined adds a member to a newsletter.
func (r *room) joined(n digest.Newsletter, email string) digest.Member {
	r.t.Helper()
	m, _, err := r.store.Members.Join(r.t.Context(), n.ID,
		store.Joining{Email: email, TimeZone: "Asia/Tokyo", Asked: true,
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
		r.must(r.store.Readers.SetDigestState(r.t.Context(), last.DigestID, digest.DigestLeft, r.now))
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

// TestMembersAreExported checks the export of all members, that its files can be imported, and the limit of a list.
func TestMembersAreExported(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		r.joined(n, "mo@example.org")
		v.send(membersPath+"/import", "x.csv", strings.Repeat("x", 11<<20),
			nil).status(http.StatusRequestEntityTooLarge).contains(".wrong", "larger than 10 MB")
		got := v.get("/newsletters/anna-writes/members.zip").status(http.StatusOK)
		if name := got.Header.Get(
			"Content-Disposition"); name != `attachment; filename=anna-writes-members-2026-11-20.zip` {
			r.t.Errorf("the file is called %s", name)
		}
		if names := slices.Sorted(maps.Keys(got.unzipped())); strings.Join(names, " ") !=
			"README.txt asked.csv members.csv suppressed.csv" {
			r.t.Errorf("it holds %v", names)
		}
		v.send(membersPath+"/import", "members.zip", got.body, map[string]string{"how": "left"}).status(http.StatusOK)
		if count, err := r.store.Newsletters.CountMembers(r.t.Context(), n.ID); err != nil || count != 0 {
			r.t.Errorf("%d are left, %v", count, err)
		}
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
		if count, err := r.store.Newsletters.CountMembers(r.t.Context(), n.ID); err != nil || count != 4 {
			r.t.Errorf("%d members, want 4; %v", count, err)
		}
	})
}
