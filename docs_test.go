package digest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks checks that every relative link in documents names a file, and that its fragment names a heading of that
// file.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?ms)^```.*?^```|^    .*?$|`[^`\n]*`")
	links := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" || strings.Contains(path, "testdata") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			links++
			if wrong := brokenLink(path, m[1]); wrong != "" {
				t.Errorf("%s: the link %s %s", path, m[1], wrong)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 100 {
		t.Errorf("only %d links found", links)
	}
}

// brokenLink returns the error in a relative link of a document; "" if it works.
func brokenLink(from, link string) string {
	file, fragment, _ := strings.Cut(link, "#")
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), file)
	}
	text, err := os.ReadFile(target)
	switch {
	case err != nil:
		return "leads to no file"
	case fragment != "" && !strings.Contains(anchors(string(text)), "#"+fragment+"\n"):
		return "names no heading"
	}
	return ""
}

// anchors returns the fragments of a document's headings, one for each line, as code forges generate them.
func anchors(text string) string {
	var b strings.Builder
	unusual := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(text) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			heading = unusual.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			b.WriteString("#" + strings.ReplaceAll(heading, " ", "-") + "\n")
		}
	}
	return b.String()
}

// TestBrokenLink checks that brokenLink finds a missing file and a missing heading.
func TestBrokenLink(t *testing.T) {
	for link, want := range map[string]string{
		"docs/manners.md": "",
		"docs/manners.md#what-the-owner-of-a-site-can-do":    "",
		"docs/manners.md#what-the-owner-of-a-site-cannot-do": "names no heading",
		"docs/manner.md": "leads to no file",
		"#how-to-report": "",
	} {
		if got := brokenLink("SECURITY.md", link); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}
