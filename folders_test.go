package digest_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"digest"
)

func TestCompareNames(t *testing.T) {
	inOrder := []string{"", "1", "2", "10", "A 2", "a 2", "a 02b", "a 10", "B", "b", "week", "Week 2", "Week 10",
		"Week 10 b", "Week 10a", "week 99999999999999999999998", "week 99999999999999999999999", "Ä", "中文 2",
		"中文 10"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := digest.CompareNames(a, b); got != cmp.Compare(i, j) {
				t.Errorf("CompareNames(%q, %q) = %d, want %d", a, b, got, cmp.Compare(i, j))
			}
		}
	}
}

func TestFolderOrder(t *testing.T) {
	for _, c := range []struct {
		order digest.FolderOrder
		want  string
	}{
		{"", "|Kitchen|Sea|Week 2|Week 10"},
		{"Sea\nGone\nKitchen", "|Sea|Kitchen|Week 2|Week 10"},
		{"Week 10\n", "Week 10||Kitchen|Sea|Week 2"},
		{"\nSea", "|Sea|Kitchen|Week 2|Week 10"},
	} {
		names := []string{"Week 10", "Sea", "", "Week 2", "Kitchen"}
		c.order.Arrange(names)
		if got := strings.Join(names, "|"); got != c.want {
			t.Errorf("%q arranges %q, want %q", c.order, got, c.want)
		}
	}
}

func TestMoveFolder(t *testing.T) {
	folders := []string{"Sea", "", "Kitchen"}
	for _, c := range []struct {
		order digest.FolderOrder
		name  string
		by    int
		want  digest.FolderOrder
	}{
		{"", "Sea", -1, "\nSea\nKitchen"},
		{"", "", 1, "Kitchen\n\nSea"},
		{"", "", -1, ""},
		{"", "Sea", 1, ""},
		{"", "Sea", 0, ""},
		{"", "Unknown", -1, ""},
		{"", "", 2, "Kitchen\nSea\n"},
		{"", "Sea", -2, "Sea\n\nKitchen"},
		{"", "Sea", -1 << 62, "Sea\n\nKitchen"},                         // beyond the end
		{"Sea\nGone\nKitchen\n", "Kitchen", -1, "Kitchen\nGone\nSea\n"}, // a folder without feeds keeps its place
		{"Sea\nGone\nKitchen\n", "Kitchen", 1, "Sea\nGone\n\nKitchen"},
		{"Sea\nGone\nKitchen\n", "", -2, "\nGone\nSea\nKitchen"},
	} {
		if got := c.order.Move(folders, c.name, c.by); got != c.want {
			t.Errorf("%q: moving %q by %d gives %q, want %q", c.order, c.name, c.by, got, c.want)
		}
	}
	if !slices.Equal(folders, []string{"Sea", "", "Kitchen"}) {
		t.Errorf("the caller's list became %q", folders)
	}
}
