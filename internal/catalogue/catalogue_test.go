package catalogue

import (
	"html/template"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestMatch checks that a browser gets its preferred language, or English.
func TestMatch(t *testing.T) {
	for _, c := range []struct{ accepted, want string }{
		{"", "en"},
		{"de", "de"},
		{"de-AT,de;q=0.9,en;q=0.8", "de"},
		{"en-GB,en;q=0.9,de;q=0.8", "en"},
		{"nl,fr;q=0.5", "fr"},
		{"pt-BR", "pt"},
		{"es-419", "es"},
		{"ar-EG", "ar"},
		{"ja-JP", "ja"},
		{"zh-CN", "en"},
		{"*", "en"},
		{"not a language; at all", "en"},
		{strings.Repeat("nl,", 10_000) + "de", "en"},
	} {
		if got := Match(c.accepted).Code; got != c.want {
			t.Errorf("%.40q gets %s, want %s", c.accepted, got, c.want)
		}
	}
}

// TestDates checks the formats of dates and times in each language.
func TestDates(t *testing.T) {
	at := time.Date(2026, time.March, 1, 15, 4, 0, 0, time.UTC)
	for _, c := range []struct{ code, layout, want string }{
		{"en", "Monday 2 January 2006", "Sunday 1 March 2026"},
		{"de", "Monday 2 January 2006", "Sonntag, 1. März 2026"},
		{"fr", "Monday 2 January 2006", "dimanche 1er mars 2026"},
		{"es", "Monday 2 January 2006", "domingo, 1 de marzo de 2026"},
		{"pt", "Monday 2 January 2006", "domingo, 1º de março de 2026"},
		{"ja", "Monday 2 January 2006", "2026年3月1日日曜日"},
		{"ar", "Monday 2 January 2006", "الأحد، 1 مارس 2026"},
		{"en", "2 January 2006, 15:04", "1 March 2026, 15:04"},
		{"de", "2 January 2006, 15:04", "1. März 2026, 15:04"},
		{"fr", "2 January 2006, 15:04", "1er mars 2026, 15:04"},
		{"es", "2 January 2006, 15:04", "1 de marzo de 2026, 15:04"},
		{"pt", "2 January 2006, 15:04", "1º de março de 2026, 15:04"},
		{"ja", "2 January 2006, 15:04", "2026年3月1日 15:04"},
		{"ar", "2 January 2006, 15:04", "1 مارس 2026، 3:04 م"},
		{"en", "2 Jan 2006, 15:04", "1 Mar 2026, 15:04"},
		{"de", "January 2006", "März 2026"},
		{"es", "January 2006", "marzo de 2026"},
		{"ja", "January 2006", "2026年3月"},
		{"ar", "Monday", "الأحد"},
		{"de", "15:04", "15:04"},
		{"fr", "on 2 January", "le 1er mars"},
		{"fr", "2", "1"},
		{"ar", "15:04 on Monday", "3:04 م يوم الأحد"},
	} {
		if got := Of(c.code).Date(c.layout, at); got != c.want {
			t.Errorf("%s writes %q, want %q", c.code, got, c.want)
		}
	}
	midnight := time.Date(2026, time.March, 1, 0, 5, 0, 0, time.UTC)
	if got := Of("ar").Date("15:04", midnight); got != "12:05 ص" {
		t.Errorf("midnight in Arabic is %q", got)
	}
}

// TestTemplates checks that values are escaped and sentences are not, in text and in attributes.
func TestTemplates(t *testing.T) {
	page := template.Must(template.New("").Funcs(Of("ar").Funcs()).Parse(
		`<p {{ours}} title="{{t "Read here: %s" .Title}}">{{t "Made at midnight in %s" .Title}} {{t "Made at ` +
			`midnight in %s" .Link}} {{say .Title}} {{say .Words}} {{date "2 January" .Day}}</p>`))
	var b strings.Builder
	err := page.Execute(&b, map[string]any{
		"Title": `<i>"A" & b</i>`, "Link": template.HTML(`<a href="/">c</a>`), "Words": Key("Settings"),
		"Day": digest.Date{Year: 2026, Month: 3, Day: 1},
	})
	must(t, err)
	got := b.String()
	for _, want := range []string{`lang="ar" dir="rtl"`, `&lt;i&gt;&#34;A&#34; &amp; b&lt;/i&gt;`, `<a href="/">c</a>`,
		"الإعدادات", "1 مارس"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if strings.Contains(got, "<i>") || strings.Count(got, `"`) != 8 {
		t.Errorf("a value broke out: %s", got)
	}
}

// TestSpoken checks that a Sayable is translated as a value of another sentence.
func TestSpoken(t *testing.T) {
	days := List{Key("Mondays"), Key("Thursdays"), Key("Sundays")}
	if got := Key("Comes %s, %s").With(Key("on %s").With(days),
		Key("address suppressed")).String(); got != "Comes on Mondays, Thursdays and Sundays, address suppressed" {
		t.Error(got)
	}
	if got := Of("de").Say("%d editions", 1234); got != "1.234 Ausgaben" {
		t.Error(got)
	}
	if got := Of("ar").Say("%d editions", 1234); !strings.Contains(got, "1,234") {
		t.Errorf("%s has other digits than dates have", got)
	}
	for _, l := range All() {
		if found, ok := Find(l.Code); !ok || found != l || l.Name == "" || l.Direction != digest.LeftToRight &&
			l.Direction != digest.RightToLeft {
			t.Errorf("%s: %+v", l.Code, l)
		}
	}
	if Of("").Code != "en" || Of("xx").Code != "en" {
		t.Error("English is not spoken to others")
	}
}

// TestSentence checks that a sentence begins with a capital letter, if its script has them, and ends with one full
// stop.
func TestSentence(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "a": "A.", "a pause ends": "A pause ends.", "it is so.": "It is so.",
		"“x” is no date": "“x” is no date.", "http://a.example/x is gone": "http://a.example/x is gone.",
		"ann@a.example has an account": "ann@a.example has an account.", "état": "État.", "何か": "何か.",
		"何か。": "何か.",
	} {
		if got := English().Sentence(Text(line)); got != want {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
}

// TestUnsent checks that the reasons for unsent editions are translated, except the replies of servers.
func TestUnsent(t *testing.T) {
	for stored, want := range map[string]string{
		"not delivered in time": "nicht rechtzeitig zugestellt",
		"the address is suppressed: an email bounced": "die Adresse des Lesers ist gesperrt: eine " +
			"E-Mail war unzustellbar",
		"the address is suppressed: an email bounced (550 no user)": "die Adresse des Lesers ist gesperrt: eine " +
			"E-Mail war unzustellbar (550 no user)",
		"skipped when the fence was released":           "beim Aufheben der Schutzsperre übersprungen",
		"not sent: skipped when the fence was released": "beim Aufheben der Schutzsperre übersprungen",
		"554 no": "554 no",
		"":       "",
	} {
		if got := Unsent(stored).In(Of("de")); got != want {
			t.Errorf("%q is said as %q, want %q", stored, got, want)
		}
	}
}

// TestCities checks that a time zone is shown as its city in the reader's language.
func TestCities(t *testing.T) {
	for _, c := range []struct{ code, zone, want string }{
		{"en", "America/New_York", "New York"},
		{"en", "America/Sao_Paulo", "São Paulo"},
		{"de", "Europe/Vienna", "Wien"},
		{"de", "America/New_York", "New York"},
		{"de", "Asia/Kolkata", "Kalkutta"},
		{"fr", "Europe/London", "Londres"},
		{"es", "America/New_York", "Nueva York"},
		{"pt", "Europe/Warsaw", "Varsóvia"},
		{"ja", "Asia/Tokyo", "東京"},
		{"ar", "Africa/Cairo", "القاهرة"},
		{"ja", "Etc/GMT+3", "GMT+3"},
		{"en", "UTC", "UTC"},
		{"en", "", ""},
	} {
		if got := City(c.zone).In(Of(c.code)); got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.zone, c.code, got, c.want)
		}
	}
}

// TestDaysOfTheMonth checks that a monthly schedule has the ordinal of its day.
func TestDaysOfTheMonth(t *testing.T) {
	for value, want := range map[string]string{
		"monthly on 1": "on the 1st of each month", "monthly on 2": "on the 2nd of each month",
		"monthly on 3":  "on the 3rd of each month",
		"monthly on 11": "on the 11th of each month", "monthly on 21": "on the 21st of each month",
		"monthly on 22": "on the 22nd of each month",
		"monthly on 23": "on the 23rd of each month", "monthly on 28": "on the 28th of each month",
	} {
		c, err := digest.ParseCadence(value)
		if got := Cadence(c).String(); err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", value, got, err, want)
		}
	}
	first, _ := digest.ParseCadence("monthly on 1")
	if got := Cadence(first).In(Of("fr")); got != "le 1er de chaque mois" {
		t.Error(got)
	}
}

// TestAsHeading checks that a date alone on its line begins with a capital letter.
func TestAsHeading(t *testing.T) {
	es, _ := Find("es")
	month := Time("January 2006", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	if got := AsHeading(month).In(es); got != "Noviembre de 2026" {
		t.Error(got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDays(t *testing.T) {
	day := func(year, month, day int) digest.Date {
		return digest.Date{Year: year, Month: time.Month(month), Day: day}
	}
	for _, c := range []struct {
		first, last digest.Date
		want        map[string]string // by language, with the year after a comma
	}{
		{day(2026, 11, 7), day(2026, 11, 13), map[string]string{
			"en": "7–13 November, 7–13 November 2026", "de": "7.–13. November, 7.–13. November 2026",
			"fr": "7–13 novembre, 7–13 novembre 2026", "es": "7–13 de noviembre, 7–13 de noviembre de 2026",
			"pt": "7–13 de novembro, 7–13 de novembro de 2026", "ja": "11月7日～13日, 2026年11月7日～13日",
			"ar": "7–13 نوفمبر, 7–13 نوفمبر 2026"}},
		{day(2026, 12, 1), day(2026, 12, 7), map[string]string{"fr": "1er–7 décembre, 1er–7 décembre 2026"}},
		{day(2026, 11, 30), day(2026, 12, 6), map[string]string{
			"en": "30 November – 6 December, 30 November – 6 December 2026",
			"ja": "11月30日～12月6日, 2026年11月30日～12月6日"}},
		{day(2026, 12, 29), day(2027, 1, 4), map[string]string{
			"en": "29 December 2026 – 4 January 2027, 29 December 2026 – 4 January 2027",
			"ja": "2026年12月29日～2027年1月4日, 2026年12月29日～2027年1月4日"}},
	} {
		for code, want := range c.want {
			l := Of(code)
			if got := Days(c.first, c.last).In(l) + ", " + DaysOfYear(c.first, c.last).In(l); got != want {
				t.Errorf("%s: %q, want %q", code, got, want)
			}
		}
	}
}
