package web_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"digest"
	"digest/render"
	"digest/store/storetest"
	"digest/test/browser"
)

// TestPrinting prints a long post and an edition of many sites: the post begins
// on the first page, and no site's name stands alone at the end of one.
func TestPrinting(t *testing.T) {
	browser.Find(t)
	p := &pageShow{room: newRoom(t, storetest.Open(t, storetest.SQLite(t)))}
	u, d := p.user("ann@example.org")
	me := p.visitor().signIn(u)
	for i := range 40 {
		some := posts(1+i%3, fmt.Sprint("A site ", i))
		for j := range some {
			some[j].Summary = prose(5+i*7%60, some[j].Title, j)
		}
		p.brings(digest.Subscription{DigestID: d.ID}, fmt.Sprint("Site ", i), some...)
	}
	p.midnight()
	edition := p.add("edition", me.get("/"))
	p.add("post", me.get(edition.postPaths()[0]))

	post := p.printed("/shown/1")
	if len(post) < 2 || post[0].texts < post[1].texts/2 {
		t.Errorf("a post is printed as %+v", post)
	}
	pages := p.printed("/shown/0")
	if len(pages) < 5 {
		t.Errorf("an edition is printed on %d pages", len(pages))
	}
	accent := strings.TrimPrefix(render.Variables()["accent"], "#")
	names := 0
	for i, page := range pages {
		names += strings.Count(page.colours, accent)
		if strings.HasSuffix(page.colours, accent) && i+1 < len(pages) {
			t.Errorf("page %d of %d ends with the name of a site", i+1, len(pages))
		}
	}
	if names < 40 {
		t.Errorf("%d names of sites are printed in %s", names, accent)
	}
}

// A printedPage is a page of paper: how many pieces of text it has, and the
// colour of each in the order of reading.
type printedPage struct {
	texts   int
	colours string
}

// printed prints a page that is shown, and gives its pages of paper.
func (p *pageShow) printed(path string) (pages []printedPage) {
	p.t.Helper()
	pdf := browser.Printed(p.t, p, path)
	for _, page := range regexp.MustCompile(`(?s)/Type /Page\n.*?/Contents (\d+) 0 R`).FindAllSubmatch(pdf, -1) {
		pages = append(pages, p.readPage(pdf, string(page[1])))
	}
	return pages
}

// readPage reads the drawing of a page: "r g b rg" sets a colour, and BT begins
// a piece of text (ISO 32000-1 §8.6.8 and §9.4.1).
func (p *pageShow) readPage(pdf []byte, object string) (page printedPage) {
	p.t.Helper()
	_, rest, found := bytes.Cut(pdf, []byte("\n"+object+" 0 obj"))
	_, stream, begun := bytes.Cut(rest, []byte("stream\n"))
	packed, err := zlib.NewReader(bytes.NewReader(stream))
	if !found || !begun || err != nil {
		p.t.Fatalf("page object %s: %v", object, err)
	}
	drawing, err := io.ReadAll(packed)
	p.must(err)
	colour := ""
	for line := range strings.Lines(string(drawing)) {
		words := strings.Fields(line)
		switch n := len(words); {
		case n > 3 && words[n-1] == "rg":
			colour = inBytes(words[n-4]) + inBytes(words[n-3]) + inBytes(words[n-2])
		case n == 1 && words[0] == "BT":
			page.texts++
			page.colours += colour
		}
	}
	return page
}

// inBytes writes a part of a colour, which is from 0 to 1, as "#rrggbb" has it.
func inBytes(part string) string {
	n, _ := strconv.ParseFloat(part, 64) // 0 where it is none
	return fmt.Sprintf("%02x", int(math.Round(n*255)))
}
