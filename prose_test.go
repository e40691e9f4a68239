package digest_test

import (
	"encoding/json"
	"flag"
	"go/ast"
	"html"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateProse = flag.Bool("update-prose", false, "store the phrase counts that have gone down")

// phrases returns patterns of English that is hard to read, by their fault. CONTRIBUTING.md explains the rules.
func phrases() map[string]*regexp.Regexp {
	patterns := map[string]string{
		"a passive that hides who does it": `\b(?:is|are|was|were|be|been) ` +
			`(?:asked|told|said|taken|given|let|brought|` +
			`left alone|kept back|looked (?:at|for)|waited for|passed over|made void|led|had ` +
			`back|noted|meant|wanted)\b`,
		"a clause used as a noun": `(?:^|[.;:(] |\b(?:of|for|to|by|with|in|and|as|than|that|from|on|at) )` +
			`(?:what|who|whatever|whom) (?:is|are|was|were|has|have|had|does|did|may|can|must|a|the|they|it|waits)\b`,
		"whoever": `\b[Ww]ho(?:m)?ever\b`,
		"a general verb for an exact one": `\b(?:stands?|stood|leads? (?:back )?(?:to|there)|` +
			`comes? (?:of|by|with|to nobody|from|back)|takes? (?:in|it that|place of)|goes? on|becomes? of|made of)\b`,
		"that of, those of": `\b(?:that|those) of\b`,
		"is to be":          `\b(?:is|are|was|were) to (?:be|have)\b`,
		"old or literal": `\b(?:of late|by (?:itself|themselves)|meanwhile|no more|so many|thus|hence|at the most|` +
			`for good|way (?:back|out|in)|for want of|at once|ever since|not any more|rather not|(?:is|are) none|` +
			`nobody's|once more|likewise|henceforth|thereby|whence|lest|ere)\b`,
		"a clause that begins with else": `(?:; |, |\. |^)[Ee]lse\b`,
	}
	compiled := map[string]*regexp.Regexp{}
	for name, pattern := range patterns {
		compiled[name] = regexp.MustCompile(pattern)
	}
	return compiled
}

// longest is the number of words from which a sentence counts as too long.
const longest = 33

// hits returns the phrases of a text, and its long sentences.
func hits(text string, of map[string]*regexp.Regexp) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		for _, hit := range of[name].FindAllString(text, -1) {
			found = append(found, name+": "+hit)
		}
	}
	for _, sentence := range regexp.MustCompile(`[.!?]\s+`).Split(text, -1) {
		if words := strings.Fields(sentence); len(words) >= longest {
			found = append(found, "a long sentence: "+strings.Join(words[:8], " ")+" …")
		}
	}
	return found
}

// TestHits checks the count on sentences of each kind.
func TestHits(t *testing.T) {
	for text, want := range map[string]int{
		"The poller skips the feed, because its Retry-After has not passed.": 0,
		"The feed is left alone.":                      1,
		"It returns the error of who is there.":        1,
		"Whoever asks gets that of the other.":         2,
		"Nothing stands there; else it comes of this.": 3,
		strings.Repeat("word ", longest):               1,
		strings.Repeat("Three short words. ", longest): 0,
	} {
		if found := hits(text, phrases()); len(found) != want {
			t.Errorf("%q: %d hits, want %d: %q", text, len(found), want, found)
		}
	}
}

// TestProse keeps the English of comments, documents and messages from getting worse: the phrases in each must not
// outnumber testdata/prose.json. With -update-prose the test stores lower counts; it never stores a higher one.
func TestProse(t *testing.T) {
	const path = "testdata/prose.json"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var stored map[string]int
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	compiled := phrases()
	for kind, texts := range map[string][]string{
		"comments": comments(t), "documents": paragraphs(t), "messages": messages(t),
	} {
		var found []string
		for _, text := range texts {
			found = append(found, hits(text, compiled)...)
		}
		switch {
		case len(texts) < 100:
			t.Errorf("%s: only %d texts found", kind, len(texts))
		case len(found) > stored[kind]:
			t.Errorf("%s: %d unclear phrases, %d allowed by %s: reword yours; go test -v -run TestProse . lists all",
				kind, len(found), stored[kind], path)
		case *updateProse:
			stored[kind] = len(found)
		}
		if testing.Verbose() {
			t.Logf("%s:\n\t%s", kind, strings.Join(found, "\n\t"))
		}
	}
	if !*updateProse {
		return
	}
	if data, err = json.MarshalIndent(stored, "", "\t"); err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func comments(t *testing.T) (texts []string) {
	for _, file := range parsed(t, true) {
		for _, group := range file.Comments {
			texts = append(texts, oneLine(group))
		}
	}
	return texts
}

// oneLine returns a comment without its preformatted lines, such as lists of files and commands.
func oneLine(group *ast.CommentGroup) string {
	var text []string
	for line := range strings.Lines(group.Text()) {
		if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "  ") {
			text = append(text, strings.Fields(line)...)
		}
	}
	return strings.Join(text, " ")
}

func paragraphs(t *testing.T) (texts []string) {
	code := regexp.MustCompile("(?ms)^```.*?^```|^    .*?$|`[^`\n]*`")
	apart := regexp.MustCompile(`\n\s*\n|\n(?:[-*] |\d+\. |#)|\|`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, part := range apart.Split(code.ReplaceAllString(string(text), "CODE"), -1) {
			texts = append(texts, strings.Join(strings.Fields(part), " "))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func messages(t *testing.T) (texts []string) {
	data, err := os.ReadFile("internal/catalogue/languages/de.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Messages map[string]any }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for english := range file.Messages {
		texts = append(texts, html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(english, "")))
	}
	return texts
}
