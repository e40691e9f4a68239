package digest

import "testing"

func TestLargePrune(t *testing.T) {
	tests := []struct {
		name string
		Prune
		want bool
	}{
		{"nothing of nothing", Prune{}, false},
		{"all but one of thirty editions", Prune{Editions: 29, AllEditions: 30}, true},
		{"half of them", Prune{Editions: 15, AllEditions: 30}, false},
		{"one more than half", Prune{Editions: 16, AllEditions: 30}, true},
		{"all of a few", Prune{Editions: 9, AllEditions: 9, Posts: 99, AllPosts: 99}, false},
		{"all of some more editions", Prune{Editions: 10, AllEditions: 10}, true},
		{"all of some more posts", Prune{Editions: 1, AllEditions: 50, Posts: 100, AllPosts: 100}, true},
		{"an hour of many", Prune{Editions: 100, AllEditions: 1e6, Posts: 1000, AllPosts: 1e7}, false},
		{"most posts, and few editions", Prune{Editions: 0, AllEditions: 100, Posts: 600, AllPosts: 1000}, true},
	}
	for _, tt := range tests {
		if got := tt.IsLarge(); got != tt.want {
			t.Errorf("%s: large %t, want %t", tt.name, got, tt.want)
		}
	}
}
