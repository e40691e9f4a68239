package render

import (
	"strings"
	"testing"
)

func TestShorten(t *testing.T) {
	long := strings.Repeat("word ", 20)
	for name, c := range map[string]struct {
		text string
		cols int
		want string
		cut  bool
	}{
		"fits":              {"One. Two.", 20, "One. Two.", false},
		"a sentence":        {"It was the wind. Nobody minded it at all.", 25, "It was the wind.", true},
		"the last sentence": {"So be it. Not so. It goes on and on and on.", 30, "So be it. Not so.", true},
		"too early":         {"No. " + long, 40, "No. word word word word word word word…", true},
		"none":              {long, 20, "word word word…", true},
		"quoted": {"He said: “It was the wind.” Nobody minded it.", 32,
			"He said: “It was the wind.”", true},
		"a question":       {"Was it the wind? Nobody minded it at all.", 25, "Was it the wind?", true},
		"not an initial":   {"The mail of Dr. Who and all of it", 18, "The mail of Dr…", true},
		"not a number":     {"It weighs 3.5 grams of all and more", 18, "It weighs 3.5…", true},
		"not before lower": {"The i.e. rule of e.g. this one is not", 22, "The i.e. rule of…", true},
		"Japanese": {"今日は晴れです。明日は雨が降るでしょう。", 24,
			"今日は晴れです。", true},
		"Arabic": {"هل كانت الريح؟ لم يهتم أحد بذلك أبدا", 24,
			"هل كانت الريح؟", true},
		"cut by its feed":      {"It was the wind. Nobody…", 80, "It was the wind.", true},
		"cut at a sentence":    {"It was the wind…", 80, "It was the wind…", true},
		"ends at its full end": {"It was the wind. Nobody minded. […]", 80, "It was the wind. Nobody minded.", true},
	} {
		if got, cut := shorten(c.text, c.cols); got != c.want || cut != c.cut {
			t.Errorf("%s: %q, %v, want %q, %v", name, got, cut, c.want, c.cut)
		}
	}
}
