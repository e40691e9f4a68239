package feed

import (
	"strings"

	"golang.org/x/text/language"
)

// languageNames maps the names of languages, in lower case, to tags. Feeds write such names instead of tags and in
// titles.
var languageNames = map[string]string{
	"arabic": "ar", "chinese": "zh", "dutch": "nl", "nederlands": "nl", "english": "en", "french": "fr",
	"français": "fr",
	"german":   "de", "deutsch": "de", "hebrew": "he", "italian": "it", "italiano": "it", "japanese": "ja",
	"日本語":    "ja",
	"korean": "ko", "polish": "pl", "polski": "pl", "portuguese": "pt", "português": "pt", "russian": "ru",
	"русский": "ru",
	"spanish": "es", "español": "es", "swedish": "sv", "svenska": "sv", "turkish": "tr", "türkçe": "tr",
	"arabe": "ar", "العربية": "ar", "中文": "zh", "简体中文": "zh", "繁體中文": "zh", "englisch": "en",
	"anglais": "en",
	"inglés":  "en", "inglês": "en",
	"francais": "fr", "französisch": "fr", "allemand": "de", "alemán": "de", "alemão": "de", "עברית": "he",
	"한국어":       "ko",
	"portugues": "pt", "espanol": "es", "castellano": "es", "spanisch": "es", "català": "ca",
	"українська": "uk",
	"čeština":    "cs", "magyar": "hu",
	"dansk": "da", "norsk": "no", "suomi": "fi", "ελληνικά": "el",
}

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
