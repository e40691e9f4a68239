package render

import (
	"strings"
	"testing"

	"digest"
	"digest/internal/catalogue"
)

// spoken is a typical edition for a reader of a language.
func spoken(code string) Edition {
	p := typical()
	p.Language, p.Number, p.SettingsURL, p.PauseURL = code, 12, "https://digest.example/settings", "https://digest.example/pause"
	p.Sections = nil
	r := plain.Speaking(code)
	for _, s := range []sampleSite{harbour(), kitchen(), compiler(), tokyo(), beirut(), haifa(), garden()} {
		section := r.Section(s.title, s.url, s.language)
		for _, from := range s.posts {
			section.Posts = append(section.Posts, r.Post(from))
		}
		p.Sections = append(p.Sections, section)
	}
	return p
}

// TestSpeaking: a mail says all that is the program's own in its reader's language, and runs as that does.
func TestSpeaking(t *testing.T) {
	for code, subject := range map[string]string{
		"de": "Freitag, 20. November: 12 Beiträge von 7 Websites",
		"fr": "Vendredi 20 novembre : 12 articles de 7 sites",
		"es": "Viernes, 20 de noviembre: 12 artículos de 7 sitios",
		"pt": "Sexta-feira, 20 de novembro: 12 artigos de 7 sites",
		"ja": "11月20日金曜日：7サイトから記事12件",
		"ar": "الجمعة، 20 نوفمبر: 12 مقالة من 7 مواقع",
	} {
		p, l := spoken(code), catalogue.Of(code)
		m := checkedMail(t, p)
		if m.Subject != subject || len(m.Subject) > maxSubject {
			t.Errorf("%s: the subject is %q", code, m.Subject)
		}
		if frame := `lang="` + code + `" dir="` + string(l.Direction) + `"`; strings.Count(m.HTML, frame) < 2 || strings.Contains(m.HTML, `lang="en" dir="ltr"`) {
			t.Errorf("%s: the frame does not run as its language does", code)
		}
		for _, english := range []string{"Unsubscribe", "Settings", "Pause<", "Read in the browser", "Your editions", "min read", "Listen", "You get this", "No. 12", "Friday", "November 2026"} {
			if strings.Contains(m.HTML+m.Text, english) && l.Say(strings.TrimSuffix(english, "<")) != strings.TrimSuffix(english, "<") && !(english == "November 2026" && code == "de") {
				t.Errorf("%s: it says %q", code, english)
			}
		}
		golden(t, "speaking-"+code+".html", m.HTML)
		golden(t, "speaking-"+code+".txt", m.Text)
	}
}

// TestOneLanguage: who speaks English is made by the same Renderer as who has chosen nothing, in all colours.
func TestOneLanguage(t *testing.T) {
	r := New(nil)
	german, again := r.Speaking("de"), r.Speaking("de")
	if r.Speaking("") != r || r.Speaking("en") != r || german == r || german != again || german.Speaking("en") != r {
		t.Error("renderers of one language are not one")
	}
	colours := digest.Colours{Paper: "#ffffff", Ink: "#000000", Accent: "#990000"}
	if r.Speaking("de").In(colours) != r.In(colours).Speaking("de") {
		t.Error("colours and language depend on their order")
	}
}
