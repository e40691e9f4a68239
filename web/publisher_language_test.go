package web_test

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest/store"
	"digest/test/tier"
)

// TestPublishersInALanguage checks that the pages and errors for publishers have no English words in Arabic, except
// names and terms that are always in Latin letters.
func TestPublishersInALanguage(t *testing.T) {
	tier.Alone(t)
	names := regexp.MustCompile(
		`#[0-9a-f]{6}|\S+@[a-z.]+|\S+\.example\S*|/n/\S+|The boat|(Site|Letters) of ` +
			`anna-writes|America/New_York|Europe/Paris|` +
			`\{(title|date|name)\}|` +
			`\b(API|UTC|PNG|JPEG|GIF|CSV|ZIP|TXT|DNS|OpenAPI|UTF|Mailchimp|Substack|Buttondown|Ghost|listmonk|email|anna-writes|digest|list\.csv|csv|https?)\b`)
	word := regexp.MustCompile(`[A-Za-z]{3,}`)
	each(t, func(r *room) {
		anna, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		owner, err := r.store.Readers.UserByEmail(t.Context(), "anna@example.org")
		r.must(err)
		m, _, err := r.store.Members.Join(t.Context(), n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		path := "/newsletters/" + n.Slug
		later := path + "/letters/" + r.now.AddDate(0, 0, 5).Format(time.DateOnly)
		pages := map[string]func() answer{}
		for _, p := range []string{"", "/settings", "/letters", "/next", "/members", "/members/add", "/members/import",
			"/members/" + strconv.FormatInt(int64(m.DigestID), 10), "/feeds", "/people", "/numbers", "/tokens", "/logo",
			"/end"} {
			pages[path+p] = func() answer { return anna.get(path + p) }
		}
		pages["/newsletters"] = func() answer { return anna.get("/newsletters") }
		pages[later] = func() answer { return anna.get(later) }
		pages["wrong settings"] = func() answer {
			return anna.post(path+"/settings", url.Values{"name": {""}, "at": {"07:00"}, "every": {"week"},
				"days": {"mon"}, "approve": {"2"}, "layout": {"full"}, "images": {"off"}})
		}
		pages["wrong colour"] = func() answer {
			return anna.post(path+"/settings", url.Values{"name": {"x"}, "ink": {"#ffffff"}, "at": {"07:00"},
				"every": {"week"}, "days": {"mon"}, "approve": {"2"}, "layout": {"full"}, "images": {"off"}})
		}
		pages["wrong end"] = func() answer { return anna.post(path+"/end", url.Values{"slug": {"x"}}) }
		pages["wrong member"] = func() answer {
			return anna.post(path+"/members/add", url.Values{"email": {"x"}, "zone": {"UTC"}})
		}
		pages["a token"] = func() answer {
			return anna.post(path+
				"/tokens", url.Values{"name": {strings.Repeat("x", 200)}})
		}
		pages["a list"] = func() answer {
			return anna.send(path+"/members/import", "list.csv", "email\nx@a.example\n",
				nil)
		}
		for tag, open := range map[string]string{"de": `<html lang="de" dir="ltr"`, "ar": `<html lang="ar" dir="rtl"`} {
			r.must(r.store.Readers.SetLanguage(t.Context(), owner.ID, tag))
			for name, get := range pages {
				a := get()
				if a.StatusCode >= 500 || !strings.Contains(a.body, open) {
					t.Errorf("%s answers %d: %.300s", name, a.StatusCode, a.body)
				}
				said := strings.Join(append(a.texts("title"), a.texts("main")...), " ")
				for _, attr := range []string{"aria-label", "title"} {
					said += " " + strings.Join(a.attrs("main ["+attr+"]", attr), " ")
				}
				if left := word.FindAllString(names.ReplaceAllString(said, " "), -1); tag == "ar" && len(left) > 0 {
					t.Errorf("%s says %q", name, left)
				}
			}
		}
	})
}
