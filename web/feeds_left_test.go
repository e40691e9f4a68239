package web

import "testing"

// TestListSaved checks that an action returns to the list with the same search, and to no other
// page.
func TestListSaved(t *testing.T) {
	for from, want := range map[string]string{
		"": "/feeds?saved=again", "/feeds": "/feeds?saved=again", "/posts/3": "/feeds?saved=again",
		"/feeds/several?feed=1": "/feeds?saved=again", "%zz": "/feeds?saved=again",
		"/feeds?find=boat&folder=A+%26+B&sheet=9": "/feeds?find=boat&folder=A+%26+B&saved=again",
		"/feeds?sort=trouble&saved=paused&x=1":    "/feeds?saved=again&sort=trouble",
	} {
		if got := listSaved(from, "again"); got != want {
			t.Errorf("%q leads to %q, want %q", from, got, want)
		}
	}
}
