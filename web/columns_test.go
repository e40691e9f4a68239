package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"testing"

	"digest"
	"digest/store/storetest"
	"digest/test/browser"
	"digest/test/tier"
)

// goesOn lists the first name in each second column of a wide page, and each name that a phone shows as continued.
const goesOn = `<!doctype html><pre></pre><iframe src="/shown/0" width="1280" height="900"></iframe><iframe src="/shown/0" width="390" height="900"></iframe>
<script>onload = () => {
	const [desk, phone] = [...document.querySelectorAll('iframe')].map(f => f.contentDocument);
	let uneven = 0;
	for (const band of desk.querySelectorAll('.two')) {
		const [left, right] = [...band.children].map(x => x.lastElementChild.getBoundingClientRect());
		if (Math.abs(left.top - right.top) > 5000 || right.left < left.right) uneven++;
	}
	const names = (doc, s) => [...doc.querySelectorAll(s)].filter(x => x.checkVisibility()).map(x => x.textContent);
	document.querySelector('pre').append(desk.querySelectorAll('.two').length, ' bands, ', uneven, ' not in columns; ', names(desk, '.two > div + div .name')[0], '; on a phone: ', names(phone, '.again > .name').length, '\n');
}</script>`

// TestGoesOnInTheNextColumn checks that a site whose posts go on in the second column has its name there, in wide
// windows only.
func TestGoesOnInTheNextColumn(t *testing.T) {
	browser.Find(t)
	p := &pageShow{room: newRoom(t, storetest.Open(t, storetest.SQLite(t)))}
	v, d := p.reader("ann@example.org")
	p.brings(digest.Subscription{DigestID: d.ID, Display: digest.Excerpts}, "Harbour",
		posts(12, "The ferry was late")...)
	p.brings(digest.Subscription{DigestID: d.ID}, "Inn", posts(1, "Soup")...)
	p.midnight()
	p.add("edition", v.get("/"))
	mux := http.NewServeMux()
	mux.Handle("/", p)
	mux.HandleFunc("/frames", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, goesOn) })
	const want = "1 bands, 0 not in columns; Harbour continued; on a phone: 0\n"
	if got := browser.Written(t, mux, "/frames"); got != want {
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
