package web

import "testing"

// TestShortName checks that names in the table of contents are cut after a word, unless the word is most of the name.
func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"Harbour Notes, Morrow Quay":           "Harbour Notes, Morrow Quay",
		"Le Marque-page égaré de la rive":      "Le Marque-page égaré de la…",
		"Harbour Notes of the old, Quayside":   "Harbour Notes of the old…",
		"Donaudampfschifffahrtsgesellschafter": "Donaudampfschifffahrtsgesell…",
		"A Donaudampfschifffahrtsgesellschaft": "A Donaudampfschifffahrtsgese…",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
