package web

import "testing"

// TestListSaved: after what was done one is back at the list as it was looked through, and nowhere else.
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
