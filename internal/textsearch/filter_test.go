package textsearch_test

import (
	"strings"
	"testing"

	"digest"
	"digest/internal/textsearch"
)

func match(filter string, p digest.Post) bool {
	_, ok := textsearch.NewMatcher([]digest.Filter{{Words: filter}}).Match(textsearch.Read(p), 1)
	return ok
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		words, text string
		want        bool
	}{
		{"cat", "The cat sat", true},
		{"cat", "Concatenate", false},
		{"cat", "cats", false},
		{"cat*", "cats", true},
		{"cat*", "a cat", true},
		{"cat*", "Concatenate", false},
		{"hot cat*", "hot caterpillars", true},
		{"ca*", "cats", false}, // the sign itself
		{"f***", "f*** it", true},
		{"Cat", "(CAT)", true},
		{"cafe", "Un CAFÉ, vite", true},
		{"Café", "cafe", true},
		{"cafe\u0301", "café", true},
		{"strasse", "Die STRAẞE", true},
		{"Straße", "strasse", true},
		{"istanbul", "İSTANBUL", true},
		{"Łódź", "lodz", true},
		{"ΟΔΟΣ", "οδος", true},
		{"ёлка", "Елка", true},
		{"climate  change", "about climate\n\tchange now", true},
		{"climate change", "climate and change", false},
		{"Trump", "Trump’s plan", true},
		{"don't", "Don’t go", true},
		{"OTAN", "l’OTAN", true},
		{"C++", "Modern C++17", true},
		{"C++", "C is fine", false},
		{"AT&T", "at&amp;t", false}, // a title is text, not HTML
		{"1.2", "Go 1.25", false},
		{"go", "go_test", true}, // an underscore separates words, also in searches
		{"ai", "新しいAI技術", true},
		{"技術", "新しいAI技術について", true},
		{"か", "がく", false},
		{"ハ", "パン", false},
		{"スーパ", "スーパー", true},
		{"ｶﾀｶﾅ", "カタカナ", true},
		{"การเมือง", "ข่าวการเมืองไทย", true},
		{"삼성", "삼성전자는", true},
		{"전자", "삼성전자", false},
		{"가", "각", false},
		{"हिन्दी", "हिन्दीभाषी", false},
		{"हिन्दी", "यह हिन्दी है", true},
		{"क", "कि", false},
		{"محمد", "مُحَمَّد", true},
		{"wi\u00adfi", "wifi", true},
		{"🎉", "party🎉time", true},
		{"ab", "aab", false},
		{"a a", "a b a a", true},
		{"x", "\xff x \xfe", true},
		{"𝐇𝐞𝐥𝐥𝐨", "hello", true},
		{"ﬁsh", "fish", true},
		{"aether", "Der Æther", true},
		{"œuvre", "OEUVRE", true},
		{"climate change", "climate-change, climate, change", true}, // a phrase, as in a search
		{"climate-change", "climate change", false},                 // a typed sign must match
		{"Acme", "Acme™", true},
		{"AcmeTM", "Acme™", true}, // its exact text
		{"LG", "LG전자", true},
		{"τω", "τῷ", true},
		{"τωι", "τῷ", true},
		{"ᾼ", "αι", true},
	} {
		if got := match(c.words, digest.Post{Title: c.text}); got != c.want {
			t.Errorf("%q in %q: got %v", c.words, c.text, got)
		}
	}
}

// TestFiltersAndSearchesAgree checks that a filter of words without signs matches where a search finds them as a
// phrase.
func TestFiltersAndSearchesAgree(t *testing.T) {
	for _, c := range []struct{ words, text string }{
		{"aether", "Über den Æther"}, {"æther", "aether"}, {"oeuvre", "l’Œuvre"},
		{"climate change", "Climate-change!"}, {"go", "go_test"},
		{"mail", "e-mail"}, {"cat", "cats"}, {"one three", "one two three"}, {"東京", "今日は東京で"},
		{"acme", "Acme™"}, {"τω", "τῷ"}, {"½", "1 2"},
	} {
		found := len(textsearch.Mark(c.text, parse(t, `"`+c.words+`"`))) > 1 ||
			textsearch.Mark(c.text, parse(t, `"`+c.words+`"`))[0].Found
		if got := match(c.words, digest.Post{Title: c.text}); got != found {
			t.Errorf("%q in %q: the filter says %v, the search %v", c.words, c.text, got, found)
		}
	}
}

func TestPlaces(t *testing.T) {
	p := digest.Post{
		Title: "One", Author: "Ada Two", Summary: "Three",
		Content: "<p>four</p><p>fi<b>ve</b> at&amp;t</p><ul><li>six<li>seven</ul><!-- eight --><a href='nine'>ten</a>",
	}
	for words, want := range map[string]bool{
		"one": true, "two": true, "three": true, "four": true, "five": true, "at&t": true, "six": true, "seven": true,
		"ten": true,
		"fi":  false, "eight": false, "nine": false, "fourfive": false, "one ada": false, "sixseven": false, "p": false,
	} {
		if got := match(words, p); got != want {
			t.Errorf("%q: got %v", words, got)
		}
	}
}

func TestOneFeedOnly(t *testing.T) {
	m := textsearch.NewMatcher([]digest.Filter{{Words: "a", FeedID: 2}, {Words: "b"}, {Words: ","}})
	text := textsearch.Read(digest.Post{Title: "a, c"})
	if _, ok := m.Match(text, 1); ok {
		t.Error("a filter of one feed holds back posts of another")
	}
	if f, ok := m.Match(text, 2); !ok || f.Words != "a" {
		t.Errorf("got %v", f)
	}
}

func TestKeys(t *testing.T) {
	for filter, want := range map[string]string{" CAFÉ  ": "cafe", ", - !": "", "": "", "\u200b": "", "€": "€",
		"İ": "i"} {
		if got := textsearch.FilterKey(filter); got != want {
			t.Errorf("%q: got %q", filter, got)
		}
	}
	if got := textsearch.Clean("  a \n b\xff "); got != "a b\uFFFD" {
		t.Errorf("got %q", got)
	}
}

// TestBounds checks that only the beginning of a long text is read.
func TestBounds(t *testing.T) {
	long := strings.Repeat("<p>é ", 1<<20)
	if !match("near", digest.Post{Title: "near " + long, Content: "<p>" + long}) {
		t.Error("the beginning is not read")
	}
	if match("far", digest.Post{Content: long + "far"}) {
		t.Error("the end is read")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("climate change", "<p>Climate\u00a0CHANGE</p>")
	f.Add("か\u3099", "が")
	f.Add("\xff", "a\xffb")
	f.Add("Ꮝ", "ꮝ")
	f.Add("\u07380", "\u0738") // begins with a mark
	f.Add("ſs", "ẞ")
	f.Fuzz(func(t *testing.T, filter, text string) {
		p := digest.Post{Title: text, Content: text}
		if got := match(filter, p); !got && len(text) < 1<<10 && matchedAtFirst(filter, text) {
			t.Errorf("%+q is not found in %+q any more", filter, text)
		}
		key := textsearch.FilterKey(filter)
		if again := textsearch.FilterKey(key); again != key {
			t.Errorf("the key of %q is %q, and its key %q", filter, key, again)
		}
		if key != "" && len(key) < 1<<10 && !match(filter, digest.Post{Title: ". " + textsearch.Clean(filter) + " ."}) {
			t.Errorf("%q does not match itself", filter)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	filters := make([]digest.Filter, 200)
	for i := range filters {
		filters[i].Words = "word" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	m := textsearch.NewMatcher(filters)
	p := digest.Post{Title: "A title",
		Content: strings.Repeat("<p>The quick brown fox jumps over the lazy dog, wordy words.</p>", 150)}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			textsearch.Read(p)
		}
	})
	b.Run("match", func(b *testing.B) {
		text := textsearch.Read(p)
		for b.Loop() {
			m.Match(text, 1)
		}
	})
}

func TestKinds(t *testing.T) {
	only := func(words string) digest.Filter {
		return digest.Filter{FeedID: 2, Kind: digest.OnlyWords, Words: words}
	}
	shorts := digest.Filter{Kind: digest.HideShorts, Words: digest.ShortsName}
	short := digest.Post{Title: "A boat", URL: "https://www.youtube.com/shorts/abc"}
	for name, c := range map[string]struct {
		filters []digest.Filter
		post    digest.Post
		want    string // the words of the filter that hides the post
	}{
		"one of several": {[]digest.Filter{only("train"), only("boat")}, digest.Post{Title: "A boat"}, ""},
		"none of several": {[]digest.Filter{only("train"), only("C++")}, digest.Post{Title: "A boat"},
			"train, C++"},
		"hidden all the same": {[]digest.Filter{only("boat"), {Words: "red"}}, digest.Post{Title: "A red boat"}, "red"},
		"words of no letter":  {[]digest.Filter{only(",")}, digest.Post{Title: "A boat"}, ""},
		"a word's beginning":  {[]digest.Filter{only("boa")}, digest.Post{Title: "A boat"}, "boa"},
		"a Short":             {[]digest.Filter{shorts}, short, "Shorts"},
		"its name": {[]digest.Filter{shorts},
			digest.Post{Title: "Shorts", URL: "https://youtube.com/watch?v=a"}, ""},
		"elsewhere": {[]digest.Filter{shorts}, digest.Post{URL: "https://a.example/shorts/abc"}, ""},
	} {
		m := textsearch.NewMatcher(c.filters)
		if f, held := m.Match(textsearch.Read(c.post), 2); f.Words != c.want || held != (c.want != "") {
			t.Errorf("%s: hidden by %q", name, f.Words)
		}
		if f, _ := m.Match(textsearch.Read(digest.Post{Title: "Other"}), 3); f.Words != "" {
			t.Errorf("%s: a post of another feed is hidden by %q", name, f.Words)
		}
	}
}
