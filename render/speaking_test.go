package render

import (
	"fmt"
	"strings"
	"testing"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/hypertext"
)

func spoken(code string) Edition {
	p := typical()
	p.Language, p.Number, p.SettingsURL, p.PauseURL = code, 12, "https://digest.example/settings",
		"https://digest.example/pause"
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

// TestSpeaking: built-in messages in an email are in the reader's language, and have its direction.
func TestSpeaking(t *testing.T) {
	for code, subject := range map[string]string{
		"de": "Freitag, 20. November: 12 Beiträge von 7 Websites",
		"fr": "Vendredi 20 novembre\u00a0: 12 articles de 7 sites",
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
		if frame := `lang="` + code + `" dir="` + string(l.Direction) + `"`; strings.Count(m.HTML, frame) < 2 ||
			strings.Contains(m.HTML, `lang="en" dir="ltr"`) {
			t.Errorf("%s: the frame does not run as its language does", code)
		}
		for _, english := range []string{"Unsubscribe", "Settings", "Pause<", "Read on the web", "Your editions",
			"min read", "Listen", "You get this", "No. 12", "Friday", "November 2026"} {
			if strings.Contains(m.HTML+m.Text, english) &&
				l.Say(strings.TrimSuffix(english, "<")) != strings.TrimSuffix(english, "<") &&
				!(english == "November 2026" && code == "de") {
				t.Errorf("%s: it says %q", code, english)
			}
		}
		golden(t, "speaking-"+code+".html", m.HTML)
		golden(t, "speaking-"+code+".txt", m.Text)
	}
}

// TestFrenchColons: in a French email, every colon of the program has a space before it, in both versions.
func TestFrenchColons(t *testing.T) {
	p := spoken("fr")
	p.Sections[0].Feed, p.Sections[0].Beyond = 1, 3
	p.SaveURL = func(digest.PostID) string { return "https://digest.example/save/x" }
	p.SiteURL = func(digest.FeedID) string { return "https://digest.example/site/x" }
	p.BeyondURL = func(digest.FeedID) string { return "https://digest.example/beyond/x" }
	for i, s := range p.Sections {
		for _, post := range s.Posts {
			post.ID = digest.PostID(i + 1)
		}
	}
	letter := LetterContent{Language: "fr", Name: "Digest", Title: "Lien", Action: "Se connecter",
		URL: "https://digest.example/", HomeURL: "https://digest.example/"}
	for _, threaded := range []bool{false, true} {
		p.Threaded = threaded
		m := mailOf(t, p)
		for _, text := range []string{m.HTML, m.Text, letter.PlainText()} {
			for line := range strings.Lines(text) {
				if before, _, ours := strings.Cut(strings.TrimSpace(line), ":"); ours &&
					!strings.HasSuffix(before, "\u00a0") && frenchLabel(before) {
					t.Errorf("%q", line)
				}
			}
			for _, want := range []string{"Lire sur le web\u00a0:", "Se désabonner\u00a0:"} {
				if text == m.Text && !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		}
	}
}

// frenchLabel reports whether words before a colon are the program's own in French.
func frenchLabel(words string) bool {
	for _, key := range [...]string{"Read on the web", "Settings", "Site settings", "Pause", "Unsubscribe",
		"Your editions", "Save",
		"Listen", "What you can do"} {
		if words == catalogue.Of("fr").Say(key) {
			return true
		}
	}
	return strings.HasPrefix(words, "Vendredi ") || strings.HasPrefix(words, "… et") ||
		strings.HasPrefix(words, "Se connecter")
}

// TestSpeakingWithinTexts: built-in messages within a full text are in the reader's language, in each form. This
// includes a note about dropped markup that was stored with the text.
func TestSpeakingWithinTexts(t *testing.T) {
	const picture = `<img src="https://far.example/a.jpg"%s width="400" height="300">`
	with, without := fmt.Sprintf(picture, ` alt="Fog"`), fmt.Sprintf(picture, "")
	costly := strings.Repeat("<b>", 190) + strings.Repeat("<p>a", 500)
	const note = "The layout of this post is too complex to show. Here is its text."
	for _, c := range []struct {
		images              digest.Images
		content, code, want string
	}{
		{digest.NoImages, "<p>A</p>" + with, "en", "[Picture: Fog]"},
		{digest.NoImages, "<p>A</p>" + with, "de", "[Bild: Fog]"},
		{digest.NoImages, "<p>A</p>" + with, "fr", "[Image\u00a0: Fog]"},
		{digest.NoImages, "<p>A</p><pre>a\n" + with + "</pre>", "es", "[Imagen: Fog]"},
		{digest.NoImages, "<p>A</p><table><tr><td>b<td>" + with + "</table>", "pt", "[Imagem: Fog]"},
		{digest.LinkedImages, "<p>A</p>" + without, "ja", "[画像]"},
		{digest.LinkedImages, "<p>A</p>" + with, "ar", "[صورة: Fog]"},
		{digest.NoImages, costly, "en", note},
		{digest.NoImages, costly, "de", catalogue.Of("de").Say(note)},
		{digest.NoImages, hypertext.Noted("<p>A</p>"), "en", hypertext.Note},
		{digest.NoImages, hypertext.Noted("<p>A</p>"), "ar", catalogue.Of("ar").Say(note)},
	} {
		p := New(testProxy).Speaking(c.code).Post(written("https://a.example/1", "T", "en", c.content))
		mail := p.body(c.images, nil)
		web, _ := p.WebText(2, false, nil)
		forms := map[string]string{"html": mail.all.html.decoded(), "text": mail.all.text.decoded(), "web": web.HTML}
		if c.images == digest.LinkedImages {
			delete(forms, "web") // which links no pictures
		}
		for form, got := range forms {
			got = strings.ReplaceAll(strings.Join(strings.Fields(got), " "), "&nbsp;", " ")
			if strings.Count(got, strings.Join(strings.Fields(c.want), " ")) != 1 || c.code != "en" &&
				strings.Contains(got, note) {
				t.Errorf("%s, %s: %q is not in it once: %.400s", c.code, form, c.want, got)
			}
		}
	}
}

// TestOneLanguage: English and no language use the same Renderer, in all colours.
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
