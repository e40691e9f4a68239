package render

import (
	"strings"
	"testing"

	"digest"
)

func tableOf(rows, columns int, head, cell string) string {
	line := "<tr>" + strings.Repeat("<td>"+cell+"</td>", columns) + "</tr>"
	if head != "" {
		head = "<tr>" + strings.Repeat("<th>"+head+"</th>", columns) + "</tr>"
	}
	return "<table>" + head + strings.Repeat(line, rows) + "</table>"
}

// TestTables: a table that fits on a phone stays a table. Rows of short cells become lines, and a large table becomes a
// link to the post.
func TestTables(t *testing.T) {
	const note = `<a href="https://a.example/1"`
	for _, c := range []struct{ reason, table, mail, text, web string }{
		{"a table that fits", tableOf(2, 3, "Week", "4"), `font-size:15px;line-height:1.45">`,
			"Week  Week  Week", "<table>"},
		{"a table that fits in small print", tableOf(24, 8, "", "1.25"),
			`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 18px;` +
				`border-collapse:collapse;font-size:13px`, "1.25  1.25  1.25", "<table>"},
		{"rows as lines", tableOf(3, 6, "", "1234567.89"), "1234567.89 · 1234567.89 · ", " · 1234567.89", "<table>"},
		{"rows with headings", tableOf(3, 6, "Quantity", "1234567.89"), "Quantity: 1234567.89<br>",
			"Quantity: 1234567.89", "<table>"},
		{"a large table", tableOf(40, 6, "Quantity", "1234567.89"), note + ` style="color:#8f2d1f">Table, 6 × 41: ` +
			"see it at the site</a>", "Table, 6 × 41: see it at the site [1]", "<table>"},
		{"a wide table", tableOf(2, 20, "", "1"), "Table, 20 × 2: see", "Table, 20 × 2: see", note},
		{"a layout of texts", tableOf(100, 2, "", strings.Repeat("long words ", 20)), "long words", "long words",
			"<table>"},
		{"a layout of one cell", tableOf(1, 1, "", "words"), ">words</p>", "words", "<p>words</p>"},
		{"a layout of blocks", tableOf(2, 2, "", "<h2>words</h2>"), ">words</h4>", "words", "words</h2>"},
	} {
		p := plain.Post(digest.Post{Title: "T", URL: "https://a.example/1", Language: "en",
			Content: "<p>Before it.</p>" + c.table})
		b := p.body(digest.NoImages, nil)
		web, _ := p.WebText(2, false, nil)
		for i, got := range []string{b.all.html.decoded(), b.all.text.decoded(), web.HTML} {
			if want := []string{c.mail, c.text, c.web}[i]; !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%.1500s", c.reason, want, got)
			}
		}
	}
	p := plain.Post(digest.Post{Title: "T", Content: "<p>Before it.</p>" + tableOf(2, 20, "", "1")})
	if got := p.body(digest.NoImages, nil).all.text.decoded(); !strings.Contains(got, "Table, 20 × 2\n") {
		t.Errorf("without an address:\n%s", got)
	}
}
