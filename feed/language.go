package feed

import (
	"strings"

	"golang.org/x/text/language"
)

// languageNames are the names that feeds write where a tag is asked for, in lower case.
var languageNames = map[string]string{
	"english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr", "spanish": "es", "español": "es",
	"italian": "it", "italiano": "it", "dutch": "nl", "nederlands": "nl", "portuguese": "pt", "português": "pt", "polish": "pl", "polski": "pl",
	"russian": "ru", "русский": "ru", "swedish": "sv", "svenska": "sv", "japanese": "ja", "日本語": "ja", "chinese": "zh", "korean": "ko",
	"turkish": "tr", "türkçe": "tr", "arabic": "ar", "hebrew": "he",
}

// Language gives the tag of RFC 5646 (BCP 47) that a declared language stands
// for: the tag itself if it is registered, its first part where the rest is
// nonsense, that of a language's name. Empty: it names no language.
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
	if len(primary) == 3 { // of two codes the shorter one is registered (RFC 5646 §2.2.1)
		base, _ := known.Base()
		primary = base.String()
	}
	if _, err := language.Parse(primary + "-" + rest); rest == "" || err != nil {
		return primary
	}
	return primary + "-" + rest
}
