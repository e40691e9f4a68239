package catalogue

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"digest"
)

var update = flag.Bool("update", false,
	"write the files of the languages in their usual form, with what is missing as \"\"")

// encode formats a file: keys in order, one for each line.
func (f file) encode() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(f); err != nil {
		panic(err)
	}
	return b.String()
}

// TestForm checks that files have the format of -update, so that changes can be merged line by line.
func TestForm(t *testing.T) {
	each(t, func(t *testing.T, code string, f *file) {
		text, err := os.ReadFile("languages/" + code + ".json")
		must(t, err)
		if string(text) != f.encode() {
			t.Errorf("write it again: go test ./internal/catalogue -update")
		}
	})
}

// TestPlurals checks that a message with a number has the plural forms of the language.
func TestPlurals(t *testing.T) {
	english := readEnglish(t).Messages
	each(t, func(t *testing.T, code string, f *file) {
		needed := formsOf(language.MustParse(code))
		for key, w := range f.Messages {
			if code == "en" && w.forms == nil {
				t.Errorf("%q: English needs only what has plurals", key)
			}
			if len(needed) > 1 && (english[key].forms != nil) != (w.forms != nil) {
				t.Errorf("%q: it has plurals in one of English and %s", key, code)
			}
			for name, p := range plurals(w) {
				for _, form := range needed {
					if p.forms[form].text == "" {
						t.Errorf("%q: %s lacks the form %q", key, name, form)
					}
				}
				for form := range p.forms {
					if !slices.Contains(needed, form) && form != "of" && !strings.HasPrefix(form, "=") {
						t.Errorf("%q: %s has the form %q, which %s does not know", key, name, form, code)
					}
				}
			}
		}
	})
}

// plurals returns the parts of a wording that depend on a number.
func plurals(w wording) map[string]wording {
	if _, varied := w.forms["message"]; !varied {
		if w.forms == nil {
			return nil
		}
		return map[string]wording{"it": w}
	}
	parts := maps.Clone(w.forms)
	delete(parts, "message")
	return parts
}

func formsOf(tag language.Tag) []string {
	names := map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few",
		plural.Many: "many", plural.Other: "other"}
	found := map[string]bool{"other": true}
	for n := range 1000 {
		found[names[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)]] = true
	}
	return slices.Sorted(maps.Keys(found))
}

var verb = regexp.MustCompile(`%(?:\[(\d)\])?[0-9.]*([a-z%])`)

// verbs returns the verbs of a format, each with the index of its value.
func verbs(format string) map[string]bool {
	found, next := map[string]bool{}, 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next = int(m[1][0] - '0')
		}
		found[string(rune('0'+next))+m[2]] = true
		next++
	}
	return found
}

// tags returns the sorted tags of a sentence with their attributes.
func tags(sentence string) []string {
	var all []string
	z := html.NewTokenizer(strings.NewReader(sentence))
	for z.Next() != html.ErrorToken {
		if tok := z.Token(); tok.Type != html.TextToken {
			all = append(all, tok.String())
		}
	}
	slices.Sort(all)
	return all
}

// TestAgreement checks that a translation has the tags and values of its English sentence. A form for one number may
// omit the number.
func TestAgreement(t *testing.T) {
	each(t, func(t *testing.T, code string, f *file) {
		for key, w := range f.Messages {
			_, varied := w.forms["message"]
			for where, text := range w.texts() {
				if text == "" || varied && where != "message" {
					continue
				}
				if varied {
					text += strings.Join(slices.Sorted(maps.Values(w.texts())), "")
				} else if !slices.Equal(tags(text), tags(key)) {
					t.Errorf("%q: %q has other tags: %v, not %v", key, text, tags(text), tags(key))
				}
				got, want := verbs(text), verbs(key)
				for v := range got {
					if !want[v] {
						t.Errorf("%q: %q has a value that the sentence has not: %s", key, text, v)
					}
				}
				for v := range want {
					if !got[v] && !(w.forms != nil && strings.HasSuffix(v, "d")) {
						t.Errorf("%q: %q lacks the value %s", key, text, v)
					}
				}
			}
		}
	})
}

// TestHalfTranslated checks that missing messages are shown in English, with their plurals.
func TestHalfTranslated(t *testing.T) {
	files := fstest.MapFS{}
	for _, code := range []string{"en", "de"} {
		f := readEnglish(t)
		f.Messages = map[string]wording{"Yes": {text: "Ja"}, "No": {}}
		if code == "en" {
			f.Messages = map[string]wording{
				"%d posts": {forms: map[string]wording{"one": {text: "%d post"}, "other": {text: "%d posts"}}}}
		}
		files["x/"+code+".json"] = &fstest.MapFile{Data: []byte(f.encode())}
	}
	german := load(files, "x").list[1]
	for key, want := range map[string]string{"Yes": "Ja", "No": "No", "Perhaps": "Perhaps"} {
		if got := german.Say(key); got != want {
			t.Errorf("%s is said %q, want %q", key, got, want)
		}
	}
	if got := german.Say("%d posts", 1) + ", " + german.Say("%d posts", 2); got != "1 post, 2 posts" {
		t.Error(got)
	}
}

// TestReadWhenItSpeaks checks that the messages of a language are read on first use, without other languages.
func TestReadWhenItSpeaks(t *testing.T) {
	files := fstest.MapFS{
		"x/en.json": {Data: []byte(readEnglish(t).encode())},
		"x/de.json": {Data: []byte(`{"name": "Deutsch", "direction": "ltr", "dates": broken`)},
	}
	all := load(files, "x").list
	if got := all[0].Say("Yes"); got != "Yes" || all[1].Name != "Deutsch" || all[1].Direction != digest.LeftToRight {
		t.Errorf("%q, %+v", got, all[1])
	}
	defer func() {
		if recover() == nil {
			t.Error("a broken file says something")
		}
	}()
	all[1].Say("Yes")
}
