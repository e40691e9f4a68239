package render

import (
	"strings"
	"testing"
)

// TestRoomOfAnyScript: an edition in Chinese has more than half the room of one in English.
func TestRoomOfAnyScript(t *testing.T) {
	room := func(title, words string) int {
		s := sampleSite{"A", "https://a.example/", "en", nil}
		for range 200 {
			s.posts = append(s.posts, post("https://a.example/1", title, "", words, 0))
		}
		m := checkedMail(t, page(s))
		return len(m.HTML)
	}
	english := room("A headline of usual length", strings.Repeat("A sentence of some words. ", 16))
	chinese := room("今天的报纸只有你选择的网站", strings.Repeat("今天的报纸只有你选择的网站。", 16))
	if chinese < english/2 || chinese > 80_000 {
		t.Errorf("%d bytes in Chinese, %d in English", chinese, english)
	}
	t.Logf("%d bytes in Chinese, %d in English", chinese, english)
}
