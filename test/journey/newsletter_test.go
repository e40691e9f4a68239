package journey

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
)

const joiner = "mo@example.org"

// TestNewsletter is the journey of a new member in Chromium. They find the form of docs/newsletter-members.md on a
// publisher's own site, which has another origin. They subscribe, get an issue at midnight, and unsubscribe.
func TestNewsletter(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t), "DIGEST_SIGN_UP=open")
	p := newPress(t)
	own := annasSite(t, h.base)
	p.publish("anna", "Anna writes", "en", post{"The old boat", "<p>She leaks.</p>", evening().Add(time.Hour)})
	h.publishes(p.URL+"/anna/feed.xml", own.URL+"/thanks")
	h.at(evening())

	b := h.visitor()
	b.blind = true // the page with the form is not ours
	b.open(own.URL + "/")
	b.fill("Email address", joiner)
	b.follow("Subscribe")
	b.says("Thank you, and look into your mail")
	if got := b.address(); got != own.URL+"/thanks" {
		t.Errorf("the form led to %s", got)
	}
	b.blind = false
	link := h.awaitLink(joiner, "/n/anna-writes/confirm")
	h.isNoMember()
	b.open(link)
	b.look("newsletter-confirm")
	h.isNoMember() // opening the link is no consent
	b.follow("Subscribe")
	b.says("Your first issue comes on Saturday 21 November")
	b.look("newsletter-joined")
	if member := h.run("newsletter", "members", "anna-writes", joiner); !strings.Contains(member,
		"a form at 127.0.0.1") || !strings.Contains(member, "Europe/London") {
		t.Errorf("the member is kept as\n%s", member)
	}

	h.rehearses()
	h.at(midnight(1).Add(time.Hour)) // London's midnight
	h.awaitLetter(joiner, "She leaks.")
	b.open("/n/anna-writes")
	b.look("newsletter")
	b.open(h.awaitLink(joiner, "/unsubscribe/"))
	b.follow("Unsubscribe")
	b.says("Unsubscribed")
	h.isNoMember()
}

// rehearses is the publisher's work before midnight: they preview the next issue, write a note, and send a test.
func (h *house) rehearses() {
	h.t.Helper()
	h.at(midnight(1).Add(50 * time.Minute))
	h.idle() // the feeds for London have been polled
	b := h.visitor()
	b.open("/sign-in")
	b.fill("Email address", "anna@example.org")
	b.follow("Email me a link")
	b.open(h.awaitLink("anna@example.org", "/sign-in"))
	b.follow("Sign in")
	b.follow("Newsletters")
	b.look("publisher-list")
	b.follow("Anna writes")
	b.look("publisher")
	b.follow("Next issue")
	b.fill("Note above the posts", "Back from the sea.")
	b.follow("Save changes")
	b.look("publisher-next")
	b.follow("Desktop")
	b.look("publisher-next-desk")
	b.follow("Dark")
	b.look("publisher-next-dark")
	b.follow("Plain text")
	b.look("publisher-next-text")
	b.follow("Send test email")
	h.awaitLetter("anna@example.org", "Back from the sea.")
}

// docsForm returns the form in docs/newsletter-members.md, for a house.
func docsForm(t *testing.T, base, thanks string) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/newsletter-members.md")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`(?s) +<form method="post".*?</form>`).FindString(string(doc))
	if form == "" {
		t.Fatal("docs/newsletter-members.md shows no form")
	}
	return strings.NewReplacer("https://digest.example.org", base, "https://anna.example/thanks", thanks).Replace(form)
}

// annasSite is a page with another origin that contains the form, without scripts.
func annasSite(t *testing.T, base string) *httptest.Server {
	mux := http.NewServeMux()
	own := httptest.NewServer(mux)
	t.Cleanup(own.Close)
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><html lang="en"><title>Anna</title><main>`+body+`</main>`)
		}
	}
	mux.HandleFunc("GET /{$}", page(docsForm(t, base, own.URL+"/thanks")))
	mux.HandleFunc("GET /thanks", page("Thank you, and look into your mail."))
	return own
}

func (h *house) publishes(feed, thanks string) {
	h.t.Helper()
	now := evening().Format(time.RFC3339)
	h.run("--now", now, "user", "add", "anna@example.org", "--time-zone", "Europe/London")
	h.run("--now", now, "newsletter", "create", "anna-writes", "--owner", "anna@example.org", "--feed", feed, "--name",
		"Anna writes", "--return-url", thanks)
}

func (h *house) isNoMember() {
	h.t.Helper()
	for _, line := range strings.Split(h.run("newsletter", "members", "anna-writes"), "\n") {
		if strings.Contains(line, joiner) && !strings.Contains(line, "left") {
			h.t.Errorf("a member: %s", line)
		}
	}
}
