package textsearch_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"digest"
	"digest/internal/textsearch"
)

func TestDocument(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"Der Café-Besuch, 2026!":         "der cafe besuch 2026",
		"STRASSE Straße":                 "strasse strasse",
		"Øresund Łódź Đà œuvre":          "oresund lodz da oeuvre",
		"don't l’été":                    "don t l ete",
		"ﬁn ① x² ½":                      "fin 1 x2 1 2",
		"東京都":                            "東京 京都 都",
		"中":                              "中",
		"iPhone手机a":                      "iphone 手机 机 a",
		"ｶﾞｽ ガス":                         "ガス ス ガス ス",
		"はな ばな":                          "はな な ばな な",
		"ไทย":                            "ไท ทย ย",
		"한국은":                            "한국 국은 은",
		"soft\u00adhyphen می\u200cخواهم": "softhyphen میخواهم",
		"e\u0301t\u00e9":                 "ete",
		"हिन्दी":                         "हिन्दी",
		"שָׁלוֹם Й":                      "שלום и",
		"🙂 !? --":                        "",
	} {
		if got := strings.Join(textsearch.Document(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	fields := textsearch.Document("a b", "", "c")
	if want := []string{"a", "b", textsearch.Filler, textsearch.Filler, "c"}; !slices.Equal(fields, want) {
		t.Errorf("fields: %q", fields)
	}
}

func TestDocumentIsBounded(t *testing.T) {
	all := textsearch.Document(strings.Repeat("the end ", 40_000))
	if len(all) != 16_000 || slices.Index(all, textsearch.Filler) != 510 || slices.Contains(all[600:], "the") {
		t.Errorf("%d words, the first left out is %d", len(all), slices.Index(all, textsearch.Filler))
	}
	if got := textsearch.Document(strings.Repeat("x", 1<<20)); len(got) != 1 || len(got[0]) != 64 {
		t.Errorf("one long word became %d words", len(got))
	}
	if got := textsearch.Document("か" + strings.Repeat("\u3099", 1<<20)); len(got) != 1 ||
		utf8.RuneCountInString(got[0]) > 64 {
		t.Errorf("one character of many marks became %d words", len(got))
	}
}

func TestParse(t *testing.T) {
	for typed, want := range map[string]string{
		"foo":             "foo",
		"foo*":            "foo*",
		"foo* -bar* ":     "foo* !bar*",
		"foo *":           "foo",
		`"foo bar*"`:      "foo+bar*",
		"foo-bar*":        "foo+bar*",
		"f***":            "f",
		"手机x":             "手机+机+x",
		"京*":              "京*",
		"foo bar":         "foo bar",
		`"foo bar"`:       "foo+bar",
		`foo "bar`:        "foo bar",
		"“foo bar” baz":   "foo+bar baz",
		"foo-bar":         "foo+bar",
		"-foo bar":        "!foo bar",
		"bar -foo":        "bar !foo",
		`bar -"foo baz"`:  "bar !foo+baz",
		"- bar":           "bar",
		"東京":              "東京",
		"東京都":             "東京+京都",
		"京":               "京*",
		"foo* (bar) OR ^": "foo* bar or",
		`a"b`:             "a b",
		"foo　bar":         "foo bar",
		"foo foo bar":     "foo bar",
	} {
		q, err := textsearch.Parse(typed)
		if err != nil {
			t.Errorf("%q: %v", typed, err)
			continue
		}
		if got := written(q); got != want {
			t.Errorf("%q: %s, want %s", typed, got, want)
		}
	}
	for _, typed := range []string{"", " ", "-", `"`, `""`, "!?. …", "🙂", "-foo", "*", "fo*", "bar fo*",
		`"foo ba*"`, strings.Repeat("a", 10_000),
		strings.Repeat("a ", 40)} {
		if _, err := textsearch.Parse(typed); digest.KindOf(err) != digest.Invalid {
			t.Errorf("%.40q: %v", typed, err)
		}
	}
}

func TestBeginning(t *testing.T) {
	for typed, want := range map[string]string{
		"war":                    "war*",
		"the war":                "the war*",
		`war "and peace"`:        `war* "and peace"`,
		"war site:a.example":     "war* site:a.example",
		`war -peace site:"A b" `: `war* -peace site:"A b"`,
		"cold-war":               "cold-war*",
		"to":                     "",
		"war*":                   "",
		`"war"`:                  "",
		"site:war":               "",
		"東京":                     "",
		"war!":                   "",
		"":                       "",
	} {
		if got, _ := textsearch.Beginning(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func written(q textsearch.Query) string {
	var all []string
	for _, term := range q.Terms {
		s := strings.Join(term.Words, "+")
		if term.Exclude {
			s = "!" + s
		}
		if term.Prefix {
			s += "*"
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

func parse(t testing.TB, typed string) textsearch.Query {
	t.Helper()
	q, err := textsearch.Parse(typed)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func shown(all []textsearch.Piece) string {
	var b strings.Builder
	for _, p := range all {
		if p.Found {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestMark(t *testing.T) {
	for _, c := range []struct{ text, typed, want string }{
		{"Das Café öffnet", "cafe", "Das [Café] öffnet"},
		{"Cafés, cafeteria", "cafe*", "[Cafés], [cafeteria]"},
		{"one two three", `"one two"`, "[one two] three"},
		{"one two three", "two -three", "one [two] three"},
		{"今日は東京で", "東京", "今日は[東京]で"},
		{"東京京都", "京", "東[京][京]都"},
		{"<script>alert(1)</script>", "script", "<[script]>alert(1)</[script]>"},
		{"nothing", "else", "nothing"},
		{"", "x", ""},
	} {
		if got := shown(textsearch.Mark(c.text, parse(t, c.typed))); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.typed, c.text, got, c.want)
		}
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("lorem ipsum dolor sit amet ", 50) + "needle one and\n\n needle two " +
		strings.Repeat("consectetur adipiscing ", 50)
	got := shown(textsearch.Snippet(long, parse(t, "needle")))
	if !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") ||
		!strings.Contains(got, "amet [needle] one and [needle] two consectetur") || len(got) > 320 {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]string{
		strings.Repeat("before ", 15) + "it! The needle is here.": "… The [needle] is here.",
		strings.Repeat("これは前です", 15) +
			"。ここに needle があります": "… ここに [needle] があります",
		"It was before. The needle is here.": "It was before. The [needle] is here.",
	} {
		if got := shown(textsearch.Snippet(text, parse(t, "needle"))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := shown(textsearch.Snippet("short text", parse(t, "other"))); got != "short text" {
		t.Errorf("%q", got)
	}
	if got := shown(textsearch.Snippet(long, parse(t, "nowhere"))); !strings.HasPrefix(got, "lorem ipsum") ||
		!strings.HasSuffix(got, " …") {
		t.Errorf("%q", got)
	}
	han := strings.Repeat("今日は雨", 500) + "東京" + strings.Repeat("明日は晴", 500)
	if got := shown(textsearch.Snippet(han, parse(t, "東京"))); !strings.Contains(got, "[東京]") ||
		!utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

func TestText(t *testing.T) {
	for source, want := range map[string]string{
		"<p>one</p><p>t<b>w</b>o</p>": " one  two ",
		"a &lt;b&gt; &amp;":           "a <b> &",
		"plain":                       "plain",
		"a<br>b<img src=x>":           "a b ",
	} {
		if got := textsearch.Text(source); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// FuzzSearch checks that any input becomes words or an error, and that a search finds each word of a text.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{"foo bar", `"a b" -c`, "東京都 iPhone手机", "ｶﾞ½ﷺ", "e\u0301\u200d", "-\"",
		"ไทยa", "\xff\xfe", "İı"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, typed, text string) {
		for _, word := range textsearch.Document(typed) {
			if word == "" || utf8.RuneCountInString(word) > 128 || strings.ContainsAny(word, " '\"\\*:&|!()") {
				t.Fatalf("%q has the word %q", typed, word)
			}
		}
		q, err := textsearch.Parse(typed)
		if err != nil {
			return
		}
		var all strings.Builder
		for _, p := range textsearch.Mark(text, q) {
			all.WriteString(p.Text)
		}
		if all.String() != text {
			t.Fatalf("marked %q is %q", text, all.String())
		}
		if utf8.ValidString(text) {
			for _, p := range textsearch.Snippet(text, q) {
				if !utf8.ValidString(p.Text) {
					t.Fatalf("a piece of %q is %q", text, p.Text)
				}
			}
		}
	})
}
