package web_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/internal/domains"
	"digest/internal/seal"
	"digest/newsletter"
)

// txtRecords is a resolver for TXT records by name.
type txtRecords struct{ sync.Map }

func (t *txtRecords) LookupTXT(_ context.Context, name string) ([]string, error) {
	if text, ok := t.Load(strings.TrimSuffix(name, ".")); ok {
		return []string{text.(string)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// registrar returns the registrar of the newsletters' sender domains.
func (r *room) registrar() *domains.Registrar {
	return &domains.Registrar{Store: r.store, Keys: r.keys, Resolver: r.names, Now: func() time.Time { return r.now },
		Log: slog.New(slog.NewTextHandler(r.log, nil))}
}

// comesFrom returns the newsletter's own sender address, "" without one.
func (r *room) comesFrom(n digest.Newsletter) string {
	r.t.Helper()
	n, err := r.store.Newsletters.Newsletter(r.t.Context(), n.ID)
	r.must(err)
	return n.OwnAddress
}

// TestDomainOnline checks that issues use the owner's address after the DNS record of the page was found.
func TestDomainOnline(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const path = "/newsletters/anna-writes/domain"
		named := url.Values{"address": {" letters@Anna.example"}}
		v.get("/newsletters/anna-writes/settings").shows("#from-hint a", "Send from your own domain")
		v.get(path).contains(".sheet", "We send issues from this site’s address.")
		v.post(path+"/check", nil).status(http.StatusNotFound)
		v.post(path+"/remove", nil).status(http.StatusNotFound)
		wrong := v.post(path, url.Values{"address": {"<b>@localhost"}}).status(http.StatusUnprocessableEntity)
		wrong.has("#own", "value", "<b>@localhost")
		wrong.has("#own", "aria-invalid", "true")
		v.post(path, named).status(http.StatusSeeOther)
		page := v.get(path+"?saved=named").contains(".notice", "To send from letters@anna.example,").contains(".sheet",
			"Not checked yet.")
		name, value := page.texts("pre")[0], page.texts("pre")[1]
		if !strings.HasSuffix(name, "._domainkey.anna.example") || !strings.HasPrefix(value, "v=DKIM1;") {
			r.t.Fatalf("the record is %q: %q", name, value)
		}

		v.post(path+"/check", nil).status(http.StatusSeeOther)
		v.get(path+"?saved=looked").contains(".wrong", "there is no record at "+name).contains(".sheet",
			"Last checked on 20 Nov 2026, 12:00 UTC.")
		r.names.Store(name, value)
		v.post(path+"/check", nil).status(http.StatusSeeOther)
		v.get(path+"?saved=looked").contains(".done", "We send issues from letters@anna.example")
		if from := r.comesFrom(n); from != "letters@anna.example" {
			r.t.Errorf("letters come from %q", from)
		}
		v.get("/newsletters/anna-writes/settings").shows("#from-hint a", "Sender address: letters@anna.example")
		r.now = r.now.Add(time.Hour)
		v.post(path+"/remove", nil).status(http.StatusSeeOther)
		v.get(path+"?saved=removed").contains(".done", "We send issues from this site’s address again.").has("#own",
			"value", "")
		if from := r.comesFrom(n); from != "" {
			r.t.Errorf("letters come from %q", from)
		}
	})
}

// TestDomainIsTheOwners checks that an editor can see and check the record but change nothing, and that the creation
// of keys is rate limited.
func TestDomainIsTheOwners(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		u, _ := r.user("ed@example.org")
		r.must(r.store.Newsletters.SetRole(r.t.Context(), n.ID, u.ID, digest.RoleEditor, r.now))
		editor := r.visitor().signIn(u)
		const path = "/newsletters/anna-writes/domain"
		named := url.Values{"address": {"letters@anna.example"}}
		if page := editor.get(path).contains(".sheet", "Only the owner can add an address."); len(
			page.find("form[action="+path+"]")) > 0 {
			r.t.Error("an editor is asked for an address")
		}
		v.post(path, named).status(http.StatusSeeOther)
		before, err := r.store.Newsletters.NewsletterDomain(r.t.Context(), n.ID)
		r.must(err)
		editor.post(path, named).status(http.StatusForbidden)
		editor.post(path+"/remove", nil).status(http.StatusForbidden)
		if page := editor.get(path).contains("pre", before.Selector); len(page.find("form[action="+path+"]"))+
			len(page.find("form[action="+path+"/remove]")) > 0 {
			r.t.Error("an editor is offered what only the owner may do")
		}
		editor.post(path+"/check", nil).status(http.StatusSeeOther)
		after, err := r.store.Newsletters.NewsletterDomain(r.t.Context(), n.ID)
		r.must(err)
		if after.Selector != before.Selector || after.CheckedAt.IsZero() {
			r.t.Errorf("it was %+v, and is %+v", before, after)
		}
		refused := false
		for range 6 {
			refused = refused || editor.post(path+"/check", nil).StatusCode == http.StatusTooManyRequests
		}
		if !refused {
			r.t.Error("the DNS is asked without end")
		}
	})
}

// TestDomainWithoutItsKey checks that the page reports a lost key file, and accepts another address.
func TestDomainWithoutItsKey(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const path = "/newsletters/anna-writes/domain"
		sealed, err := seal.Beside(filepath.Join(t.TempDir(), "lost.db")).SealKey([]byte("a key"))
		r.must(err)
		r.must(r.store.Newsletters.SetNewsletterDomain(r.t.Context(), newsletter.Domain{NewsletterID: n.ID,
			FromAddress: "letters@anna.example", Selector: "n1-x", Sealed: sealed, CreatedAt: r.now}))
		page := v.get(path).status(http.StatusOK).contains(".wrong", "We can’t read the signing key for this address")
		if len(page.find("form[action="+path+"/look]")) > 0 || !strings.Contains(r.log.String(), "anna-writes") {
			r.t.Errorf("without its key: %s\n%s", page.body, r.log)
		}
		v.post(path, url.Values{"address": {"letters@anna.example"}}).status(http.StatusSeeOther)
		v.get(path).contains("pre", "v=DKIM1")
	})
}
