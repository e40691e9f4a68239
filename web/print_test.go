package web_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/store/storetest"
	"digest/test/browser"
	"digest/test/tier"
)

// papers maps paper sizes to their height in points.
var papers = map[string]float64{"A4": 842, "letter": 792}

// TestPrinting prints a long edition and a long post. It checks that pages are full columns, and that no column ends
// with the name of a site or a headline. Buttons must not be printed, but the addresses of links must.
func TestPrinting(t *testing.T) {
	browser.Find(t)
	p := &pageShow{room: newRoom(t, storetest.Open(t, storetest.SQLite(t)))}
	u, d := p.user("ann@example.org")
	me := p.visitor().signIn(u)
	for i := range 60 {
		some := posts(1+i%4, fmt.Sprint("A site ", i))
		for j := range some {
			some[j].Summary = prose(5+i*7%60, some[j].Title, j)
			some[j].Author = "Writer"
			switch {
			case i%3 == 2: // a post without a title
				some[j].Untitled = true
			case i%7 == 4: // a headline and a byline
				some[j].Summary, some[j].Content = "", ""
				continue
			}
			some[j].Content += `<p>It is said <a href="https://far.example/` +
				fmt.Sprint(i, "-", j) + `">there</a>.</p>`
		}
		p.brings(digest.Subscription{DigestID: d.ID, Folder: []string{"", "Sea"}[i/30],
			Display: []digest.Layout{"", digest.FullText}[i%2]}, fmt.Sprint("Site", i), some...)
	}
	p.midnight()
	today := me.get("/")
	day := p.edition(d).LocalDate.String()
	today.has("p.more a", "href", "/editions/"+day+"/print", "/editions/"+day+"/why")
	for size, height := range papers {
		t.Run(size, func(t *testing.T) {
			show := func(a answer) []paperPage { return p.printed(t, a, size, height) }
			edition := show(today)
			hasColumns(t, "an edition", edition, 3)
			whole := show(me.get("/editions/" + day + "/print"))
			hasColumns(t, "the whole edition", whole, 3)
			names := 0
			for i, page := range whole {
				names += page.hasNoStrandedName(t, i+1)
				page.hasNoStrandedByline(t, i+1)
			}
			if names != 60 {
				t.Errorf("%d names of sites stand on the paper", names)
			}
			post := show(me.get(today.postPaths()[0]))
			hasColumns(t, "a post", post, 2)
			all := says(whole)
			for _, want := range []string{"Links", "site.example/post0", "far.example/1-0", "Site59"} {
				if !strings.Contains(all, want) {
					t.Errorf("the paper does not say %q", want)
				}
			}
			for _, bad := range []string{"Save", "Read here", "Sign out", "Settings", "Skip", "Print"} {
				if slices.Contains(strings.Fields(all+" "+says(edition)+" "+says(post)), bad) {
					t.Errorf("the paper says %q", bad)
				}
			}
		})
	}
}

// A paperPage is a printed page with its lines, as Poppler extracts them.
type paperPage struct {
	Height float64     `xml:"height,attr"`
	Lines  []paperLine `xml:"flow>block>line"`
}

// A paperLine is a line of a column. Positions are in points from the upper left corner.
type paperLine struct {
	Left  float64  `xml:"xMin,attr"`
	Top   float64  `xml:"yMin,attr"`
	Words []string `xml:"word"`
}

func (l paperLine) String() string { return strings.Join(l.Words, " ") }

// printed prints a page on paper of a size and returns its lines. With -artifacts it keeps the PDF.
func (p *pageShow) printed(t *testing.T, a answer, size string, height float64) []paperPage {
	t.Helper()
	a.body = strings.Replace(a.status(http.StatusOK).body, "</head>", "<style>@page { size: "+size+
		" }</style></head>", 1)
	p.names, p.answers = append(p.names, size), append(p.answers, a)
	pdf := browser.Printed(t, p, fmt.Sprintf("/shown/%d", len(p.answers)-1))
	file := filepath.Join(t.ArtifactDir(), fmt.Sprintf("%d-%s.pdf", len(p.answers), size))
	if err := os.WriteFile(file, pdf, 0o666); err != nil {
		t.Fatal(err)
	}
	poppler, err := exec.LookPath("pdftotext")
	if err != nil {
		tier.Missing(t, "pdftotext", err)
	}
	out, err := exec.CommandContext(t.Context(), poppler, "-bbox-layout", file, "-").Output()
	if err != nil {
		t.Fatalf("reading the paper: %v", err)
	}
	var read struct {
		Pages []paperPage `xml:"body>doc>page"`
	}
	if err := xml.Unmarshal(out, &read); err != nil {
		t.Fatalf("reading the paper: %v", err)
	}
	for i, page := range read.Pages {
		if int(page.Height+.5) != int(height) {
			t.Errorf("a page of %s is %v points high", size, page.Height)
		}
		if len(page.Lines) < 4 { // one is the page number
			t.Errorf("page %d of %d is empty: %q", i+1, len(read.Pages), page.Lines)
		}
	}
	return read.Pages
}

// hasColumns checks that the first page has that many columns, and that all pages but the last are at least three
// quarters full.
func hasColumns(t *testing.T, what string, pages []paperPage, columns int) {
	t.Helper()
	lines := map[int]int{}
	for _, l := range pages[0].Lines {
		lines[int(l.Left)/8]++
	}
	n := 0
	for _, of := range lines {
		if of >= 10 {
			n++
		}
	}
	if n != columns {
		t.Errorf("%s has %d columns: %v", what, n, lines)
	}
	for i, page := range pages[:len(pages)-1] {
		lowest := 0.
		for _, l := range page.Lines {
			if l.Top < page.Height*.92 { // below is the page number
				lowest = max(lowest, l.Top)
			}
		}
		if lowest < page.Height*.75 {
			t.Errorf("page %d of %s ends at %v of %v points", i+1, what, lowest, page.Height)
		}
	}
}

// hasNoStrandedName checks that a line follows each site's name in the same column. It returns the number of names.
func (p paperPage) hasNoStrandedName(t *testing.T, number int) (names int) {
	t.Helper()
	for _, name := range p.Lines {
		if !strings.HasPrefix(name.String(), "Site") || len(name.Words) > 1 {
			continue
		}
		names++
		if !slices.ContainsFunc(p.Lines, func(l paperLine) bool {
			return l.Left > name.Left-4 && l.Left < name.Left+4 && l.Top > name.Top+4 && l.Top < name.Top+40 &&
				l.Top < p.Height*.92
		}) {
			t.Errorf("%s is stranded on page %d, at %v", name, number, name.Top)
		}
	}
	return names
}

// hasNoStrandedByline checks that each byline follows its headline, or the text of an untitled post, in the same
// column.
func (p paperPage) hasNoStrandedByline(t *testing.T, number int) {
	t.Helper()
	for _, by := range p.Lines {
		byline := by.Words[0] == "Writer" || strings.HasPrefix(by.Words[0], "site.example") &&
			strings.HasSuffix(by.String(), "Writer")
		if byline && !slices.ContainsFunc(p.Lines, func(l paperLine) bool {
			return l.Left > by.Left-4 && l.Left < by.Left+4 && l.Top < by.Top-4 && l.Top > by.Top-40
		}) {
			t.Errorf("the headline above %q is not on page %d, at %v", by, number, by.Top)
		}
	}
}

// says returns the text of all pages.
func says(pages []paperPage) string {
	var b strings.Builder
	for _, page := range pages {
		for _, l := range page.Lines {
			b.WriteString(l.String() + " ")
		}
	}
	return b.String()
}
