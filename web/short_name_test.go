package web

import (
	"testing"

	"digest"
	"digest/store"
)

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

// TestOwnTitles checks that lists of posts name sites as editions do: shortened, or as the reader named them.
func TestOwnTitles(t *testing.T) {
	const long = "Al Jazeera – Breaking News, World News and Video from Al Jazeera"
	got := ownTitles([]store.SubscriptionInfo{
		{Feed: digest.Feed{ID: 1, Title: long}},
		{Subscription: digest.Subscription{Title: long}, Feed: digest.Feed{ID: 2}},
	})
	if got[1] != "Al Jazeera" || got[2] != long {
		t.Errorf("%v", got)
	}
}
