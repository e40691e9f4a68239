package catalogue

import "strings"

// A City is a time zone that is shown as its city: "Europe/Vienna" as Vienna, Wien or ウィーン. CLDR has the names
// (LICENSE.cldr).
type City string

// In returns the city in a language; for a zone without a known city, the last part of its name.
func (c City) In(l *Language) string {
	for _, cities := range []map[string]string{l.said().cities, English().said().cities} {
		if name := cities[string(c)]; name != "" {
			return name
		}
	}
	return strings.ReplaceAll(string(c[strings.LastIndexByte(string(c), '/')+1:]), "_", " ")
}

// String returns the city in English.
func (c City) String() string { return c.In(English()) }
