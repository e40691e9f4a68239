package catalogue

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// alike is the share of common words from which one sentence counts as a new version of another.
const alike = 0.6

// changed pairs each unused message with the new sentence that it most resembles: same values, same tags, common words.
func changed(messages map[string]wording, used map[string]string) map[string]string {
	pairs := map[string]string{}
	for _, was := range slices.Sorted(maps.Keys(messages)) {
		if _, ok := used[was]; ok {
			continue
		}
		best, most := "", alike
		for _, now := range slices.Sorted(maps.Keys(used)) {
			_, known := messages[now]
			if known || pairs[now] != "" || !maps.Equal(verbs(was), verbs(now)) || !slices.Equal(tags(was), tags(now)) {
				continue
			}
			if common := inCommon(was, now); common >= most {
				best, most = now, common
			}
		}
		if best != "" {
			pairs[best] = was
		}
	}
	return pairs
}

// inCommon returns the share of words that two sentences have in common, from 0 to 1, without case and punctuation.
func inCommon(a, b string) float64 {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" ,.:;?!", r) })
	}
	first, second, common := split(a), split(b), 0
	all := len(first) + len(second)
	for _, word := range first {
		if i := slices.Index(second, word); i >= 0 {
			second = slices.Delete(second, i, i+1)
			common++
		}
	}
	return 2 * float64(common) / float64(max(1, all))
}

// rename moves translations to the new sentences of pairs, and lists them under Look, except in English.
func (f *file) rename(pairs map[string]string) {
	for now, was := range pairs {
		w := f.Messages[was]
		delete(f.Messages, was)
		f.Messages[now] = w
		if f.Name == "English" || w.forms == nil && w.text == "" {
			continue
		}
		if f.Look == nil {
			f.Look = map[string]string{}
		}
		if first := f.Look[was]; first != "" {
			was = first
		}
		f.Look[now] = was
	}
	maps.DeleteFunc(f.Look, func(now, _ string) bool { _, ok := f.Messages[now]; return !ok })
}

// TestChanged checks that -update keeps the translation of a changed sentence and marks it.
func TestChanged(t *testing.T) {
	f := file{Name: "Deutsch", Messages: map[string]wording{
		"Your feeds, all of them": {text: "Alle Ihre Feeds"},
		"Stop %s now":             {text: "%s jetzt stoppen"},
		"<b>Bold</b> word here":   {text: "<b>Fettes</b> Wort"},
		"Same":                    {text: "Gleich"},
		"Gone away":               {text: "Fort"},
	}}
	f.rename(changed(f.Messages, map[string]string{
		"Your feeds: all of them.": "", "Stop it now": "", "Bold word here": "", "Same": "", "Something else": "",
	}))
	if got := f.Messages["Your feeds: all of them."].text; got != "Alle Ihre Feeds" {
		t.Errorf("the translation became %q", got)
	}
	if want := map[string]string{"Your feeds: all of them.": "Your feeds, all of them"}; !maps.Equal(f.Look, want) {
		t.Errorf("to be looked at: %v, want %v", f.Look, want)
	}
	for _, unlike := range []string{"Stop it now", "Bold word here", "Something else"} {
		if w, ok := f.Messages[unlike]; ok {
			t.Errorf("%q got the translation %q of another sentence", unlike, w.text)
		}
	}
	f.rename(map[string]string{"All your feeds": "Your feeds: all of them."})
	if want := map[string]string{"All your feeds": "Your feeds, all of them"}; !maps.Equal(f.Look, want) {
		t.Errorf("after a second change: %v, want %v", f.Look, want)
	}
}
