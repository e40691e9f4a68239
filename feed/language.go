package feed

import (
	"strings"

	"golang.org/x/text/language"
)

// languageNames maps the names of languages, in lower case, to tags. Feeds write such names instead of tags and in
// titles.
var languageNames = byWord(map[string]string{
	"ar": "arabic arabe العربية",
	"zh": "chinese 中文 简体中文 繁體中文",
	"nl": "dutch nederlands",
	"en": "english englisch anglais inglés inglês",
	"fr": "french français francais französisch",
	"de": "german deutsch allemand alemán alemão",
	"he": "hebrew עברית",
	"it": "italian italiano",
	"ja": "japanese 日本語",
	"ko": "korean 한국어",
	"pl": "polish polski",
	"pt": "portuguese português portugues",
	"ru": "russian русский",
	"es": "spanish español espanol castellano spanisch",
	"sv": "swedish svenska",
	"tr": "turkish türkçe",
	"ca": "català",
	"uk": "українська",
	"cs": "čeština",
	"hu": "magyar",
	"da": "dansk",
	"no": "norsk",
	"fi": "suomi",
	"el": "ελληνικά",
})

// Language returns the tag of RFC 5646 (BCP 47) for a declared language. It accepts tags and the names of languages,
// and drops an invalid rest of a tag. It returns "" for anything else.
func Language(declared string) string {
	tag := strings.ReplaceAll(strings.TrimSpace(declared), "_", "-")
	if code := languageNames[strings.ToLower(tag)]; code != "" {
		return code
	}
	primary, rest, _ := strings.Cut(tag, "-")
	known, err := language.Parse(primary)
	if err != nil || len(tag) > maxLanguage || known.IsRoot() {
		return ""
	}
	if len(primary) == 3 { // the shorter of two codes is registered (RFC 5646 §2.2.1)
		base, _ := known.Base()
		primary = base.String()
	}
	if _, err := language.Parse(primary + "-" + rest); rest == "" || err != nil {
		return primary
	}
	return primary + "-" + rest
}
