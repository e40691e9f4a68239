package render

import (
	"io"
	"math/rand/v2"
	"mime/quotedprintable"
	"strings"
	"testing"

	"digest"
)

// A flowedLine is a paragraph or a fixed line, as a program for flowed text shows it.
type flowedLine struct {
	quotes int
	text   string
}

// decodeFlowed decodes text by RFC 3676 §4, with DelSp=yes.
func decodeFlowed(t *testing.T, text string) (lines []flowedLine) {
	t.Helper()
	open := false // the previous line flows
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		content := strings.TrimLeft(line, ">")
		quotes := len(line) - len(content)
		content = strings.TrimPrefix(content, " ")
		if content == "-- " {
			t.Errorf("a signature begins in the middle of\n%s", text)
		}
		more, flows := strings.CutSuffix(content, " ")
		if n := len(lines); open && lines[n-1].quotes == quotes {
			lines[n-1].text += more
		} else {
			lines = append(lines, flowedLine{quotes, more})
		}
		open = flows
	}
	if open {
		t.Errorf("it flows beyond its end:\n%s", text)
	}
	return lines
}

// TestFlowedParagraph: a program that joins the lines restores any paragraph.
func TestFlowedParagraph(t *testing.T) {
	long := "https://example.org/" + strings.Repeat("very-long-", 20)
	all := []string{
		"", "One line.", strings.Repeat("many words in a row ", 30), "> no quotation " + strings.Repeat("word > ", 60),
		">> nor this",
		"From the harbour " + strings.Repeat("From here ", 40), "-- " + strings.Repeat("x", 90), "--" +
			strings.Repeat("字", 90),
		strings.Repeat("今天的报纸只有你选择的网站。", 20),
		strings.Repeat("Das 今天 war ein 报纸, ", 20), strings.Repeat("오늘의 신문 ", 40),
		strings.Repeat("העיתון של היום ", 30), "See " + long + " and " + long +
			".", strings.Repeat("👩‍👩‍👧 ", 60), "Soup –" + strings.Repeat("–", 100),
	}
	rng := rand.New(rand.NewPCG(36, 76))
	words := []string{"a", "word", ">", "From", "--", "-", "字", "字字。", "「字」", long, "é", "שלום",
		"—", "...", "*"}
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString(words[rng.IntN(len(words))] + strings.Repeat(" ", rng.IntN(2)))
		}
		all = append(all, b.String())
	}
	for _, s := range all {
		s = clean(s, 5000)
		got := decodeFlowed(t, stuffed(wrapped(s)))
		if len(got) != 1 || got[0].quotes != 0 || got[0].text != s {
			t.Errorf("%q is read as %+v", s, got)
		}
		var b strings.Builder
		wrap(&b, s, quoteMark, quoteMark)
		if got := decodeFlowed(t, stuffed(b.String())); s != "" &&
			(len(got) != 1 || got[0].quotes != 1 || got[0].text != s) {
			t.Errorf("%q, quoted, is read as %+v", s, got)
		}
		for line := range strings.Lines(stuffed(wrapped(s))) {
			if widthOf(strings.TrimRight(line, " \n")) > 78 && strings.ContainsAny(strings.TrimSpace(line), " ") {
				t.Errorf("a line of %d columns: %q", widthOf(line), line)
			}
		}
	}
}

// TestFlowedEdition: in a complete encoded email, paragraphs are restored and indented lines keep their breaks. Every
// address is complete at the end of a line that does not flow.
func TestFlowedEdition(t *testing.T) {
	for name, e := range map[string]Edition{"excerpts": typical(), "headlines": headlines(),
		"full": rich(digest.LinkedImages), "scripts": scripts(), "away": away(digest.Excerpts)} {
		coded, err := plain.EncodedMail(e)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(strings.Join(coded.Text, ""))))
		if err != nil {
			t.Fatal(err)
		}
		lines := decodeFlowed(t, strings.ReplaceAll(string(text), "\r\n", "\n"))
		has := map[string]bool{}
		for _, l := range lines {
			has[l.text] = true
			if l.text != strings.TrimRight(l.text, " ") {
				t.Errorf("%s: %q ends with a space", name, l.text)
			}
		}
		for line := range strings.Lines(mailOf(t, e).Text) {
			if strings.HasPrefix(line, "From ") {
				t.Errorf("%s: a line begins with %q", name, line)
			}
			if l := strings.Trim(line, " \n"); strings.HasPrefix(l, "https://") && strings.HasSuffix(line, " \n") &&
				!strings.Contains(l, " ") {
				t.Errorf("%s: an address flows: %q", name, line)
			}
		}
		if name == "excerpts" {
			for _, s := range e.Sections {
				for _, p := range s.Posts {
					if p.Excerpt != "" && !has[p.Excerpt] {
						t.Errorf("the excerpt %q is not one paragraph", p.Excerpt)
					}
					if p.URL != "" && !has[p.URL] {
						t.Errorf("the address %s is not a line", p.URL)
					}
				}
			}
		}
	}
}
