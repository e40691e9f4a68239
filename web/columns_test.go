package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"digest"
	"digest/store/storetest"
	"digest/test/browser"
	"digest/test/tier"
)

const stranded = `<!doctype html><pre></pre><iframe src="/shown/0" width="1280" height="900"></iframe>
<script>onload = () => {
	const doc = document.querySelector('iframe').contentDocument;
	let columns = new Set(), alone = 0;
	for (const way of doc.querySelectorAll('.band:not(.alone) .posts + .beyond')) {
		const post = way.previousElementSibling.lastElementChild.getBoundingClientRect(), at = way.getBoundingClientRect();
		columns.add(Math.round(post.left));
		if (Math.abs(post.left - at.left) > 20 || at.bottom > post.bottom + 20 || at.top < post.top) alone++;
	}
	document.querySelector('pre').append(columns.size > 1 ? 'columns' : 'one column', ', ', alone, ' stand alone\n');
}</script>`

// TestNothingBeginsAColumnAlone checks that the link below a site's last post does not begin a new
// column.
func TestNothingBeginsAColumnAlone(t *testing.T) {
	browser.Find(t)
	p := &pageShow{room: newRoom(t, storetest.Open(t, storetest.SQLite(t)))}
	v, d := p.reader("ann@example.org")
	random := rand.New(rand.NewPCG(7, 7))
	for i := range 60 {
		var news []digest.Post
		for k := range 1 + random.IntN(3) {
			one := post(fmt.Sprint("The ferry was late ", i, " times ", k))
			one.Summary = strings.Repeat("Nobody minded. ", 1+random.IntN(25))
			news = append(news, one)
		}
		p.brings(digest.Subscription{DigestID: d.ID}, fmt.Sprint("Harbour ", i), news...)
	}
	p.midnight()
	p.add("edition", v.get("/"))
	mux := http.NewServeMux()
	mux.Handle("/", p)
	mux.HandleFunc("/frames", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, stranded) })
	if got := browser.Written(t, mux, "/frames"); got != "columns, 0 stand alone\n" {
		t.Errorf("Chromium shows %q", got)
	}
}

// TestWeightOfMany checks that the first page of an edition with 150 sites and long excerpts stays
// within 60 KB with its style sheet and scripts.
func TestWeightOfMany(t *testing.T) {
	tier.Alone(t)
	const most = 40_000
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for i := range 150 {
			one := post(prose(10, "title", i))
			one.Summary, one.Content = prose(60, "summary", i), "<p>"+prose(300, "content", i)+"</p>"
			r.brings(digest.Subscription{DigestID: d.ID}, fmt.Sprint("Site ", i), one)
		}
		r.midnight()
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		a := v.get("/").status(http.StatusOK)
		if _, err := z.Write([]byte(a.body)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		if n := len(a.find("p.excerpt")); n != 30 || b.Len() > most {
			t.Errorf("%d excerpts, and the page weighs %d bytes, %d at most", n, b.Len(), most)
		}
	})
}
