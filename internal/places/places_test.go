package places

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"digest/timezone"
)

func TestZone(t *testing.T) {
	const us = "America/New_York America/Chicago America/Los_Angeles America/Denver America/Phoenix Pacific/Honolulu"
	for words, want := range map[string]string{
		// zones
		"Europe/Paris": "Europe/Paris", "europe/paris": "Europe/Paris", " America/New York ": "America/New_York",
		"UTC": "UTC", "Etc/GMT+5": "Etc/GMT+5", "Asia/Calcutta": "Asia/Calcutta", "US/Eastern": "US/Eastern",

		// cities
		"Tokyo": "Asia/Tokyo", "東京": "Asia/Tokyo", "طوكيو": "Asia/Tokyo", "New York": "America/New_York",
		"München": "Europe/Berlin", "munich": "Europe/Berlin", "ミュンヘン": "Europe/Berlin",
		"Saigon":    "Asia/Ho_Chi_Minh",
		"SÃO PAULO": "America/Sao_Paulo", "St. John’s": "America/St_Johns", "Seattle": "America/Los_Angeles",
		"Київ": "Europe/Kyiv", "Paris, France": "Europe/Paris", "Berlin (Mitte)": "Europe/Berlin",
		"パリ": "Europe/Paris", "Amerika/Sao Paulo": "America/Sao_Paulo", "right/Europe/Paris": "Europe/Paris",
		"الرياض": "Asia/Riyadh",

		// countries
		"Deutschland": "Europe/Berlin", "Japon": "Asia/Tokyo", "India": "Asia/Kolkata", "uk": "Europe/London",
		"スペイン": "Europe/Madrid", "Singapore": "Asia/Singapore", "Nouvelle-Zélande": "Pacific/Auckland",
		"USA": us + "!", "Vereinigte Staaten": us + "!",

		// several
		"EST": "America/New_York America/Toronto America/Panama!", "JST": "Asia/Tokyo",
		"Córdoba": "America/Argentina/Cordoba Europe/Madrid!",

		// mistakes
		"Pariss": "Europe/Paris?", "Amsterdm": "Europe/Amsterdam?", "Hogwarts": "?", "x": "?", "": "?",
		"my house": "?", "GMT+5": "?", "🌍": "?", "Europe/": "?", "Paaris": "Europe/Paris?", "Paaaris": "?",
		"Amsstterdam":   "Europe/Amsterdam?",
		"Europe/Pariss": "Europe/Paris?", "Asia/Calcuttta": "Asia/Kolkata?",
		"Factory": "?", "../../etc/passwd": "?", "America/Europe": "?",
	} {
		zone, err := Zone(words)
		if unclear, ok := errors.AsType[*UnclearError](err); ok {
			zone = strings.Join(unclear.Zones, " ") + map[bool]string{true: "!", false: "?"}[unclear.Known]
		}
		if zone != want {
			t.Errorf("%q: got %s, want %s", words, zone, want)
		}
	}
}

func TestUnclear(t *testing.T) {
	for words, want := range map[string]string{
		"":       "a time zone is needed, such as Europe/Paris",
		"Pariss": `no time zone is called "Pariss"; did you mean Europe/Paris?`,
		"EST":    `"EST" has several time zones; use one of America/New_York, America/Toronto, America/Panama`,
		"Hogwarts": `no time zone is called "Hogwarts"; use a large city or a time zone, ` +
			`such as Paris or America/New_York`,
	} {
		if _, err := Zone(words); err == nil || err.Error() != want {
			t.Errorf("%q: %v", words, err)
		}
	}
}

// TestNames: all zones in places.txt exist, each name is in one line, and each is as Fold returns it.
func TestNames(t *testing.T) {
	lines := map[string]string{}
	for line := range strings.Lines(known) {
		zones, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for zone := range strings.FieldsSeq(zones) {
			if _, err := timezone.Load(zone); err != nil {
				t.Error(err)
			}
		}
		for name := range strings.SplitSeq(strings.Trim(names, "|"), "|") {
			if other, twice := lines[name]; twice || Fold(name) != name {
				t.Errorf("%q is in %s and %s, or not folded (%q)", name, other, zones, Fold(name))
			}
			lines[name] = zones
		}
	}
	if len(lines) < 10_000 {
		t.Errorf("only %d names", len(lines))
	}
}

// TestEveryZone: every name of the IANA database means itself, except abbreviations.
func TestEveryZone(t *testing.T) {
	for _, name := range timezone.Names() {
		if zone, err := Zone(name); zone != name && strings.Contains(name, "/") {
			t.Errorf("%s: %s, %v", name, zone, err)
		}
	}
}

func FuzzZone(f *testing.F) {
	for _, seed := range []string{"Paris", "EST", "München", "\xff", "|", "東京\t", "a\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		zone, err := Zone(words)
		if err == nil && !slices.Contains(timezone.Names(), zone) {
			t.Fatalf("%q: %q is not a zone", words, zone)
		}
		if err != nil && utf8.ValidString(words) && !utf8.ValidString(err.Error()) {
			t.Fatalf("%q: %q", words, err)
		}
	})
}

func BenchmarkUnknownPlace(b *testing.B) {
	for b.Loop() {
		_, _ = Zone("Königs Wusterhausen")
	}
}
