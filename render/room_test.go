package render

import (
	"fmt"
	"strings"
	"testing"

	"digest"
)

// TestRoomOfAnyScript: an edition in Chinese contains more than half as much as one in English.
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
	chinese := room("今天的报纸只有你选择的网站",
		strings.Repeat("今天的报纸只有你选择的网站。", 16))
	if chinese < english/2 || chinese > 80_000 {
		t.Errorf("%d bytes in Chinese, %d in English", chinese, english)
	}
	t.Logf("%d bytes in Chinese, %d in English", chinese, english)
}

// aFullDay returns an edition of many sites with posts that have a picture and a long text. The first site has the most
// posts.
func aFullDay(layout digest.Layout, sites, each int) Edition {
	var all []sampleSite
	for i := range sites {
		s := sampleSite{fmt.Sprint("Site ", i), fmt.Sprintf("https://s%d.example/", i), "en", nil}
		for j := range each + 10*max(0, 1-i) {
			src := fmt.Sprintf("https://s%d.example/%d.jpg", i, j)
			p := post(fmt.Sprintf("https://s%d.example/%d", i, j), fmt.Sprintf("Headline %d of site %d", j, i), "",
				strings.Repeat("A sentence of some words. ", 12), 0)
			p.Content = `<p><img src="` + src + `" width="1200" height="800" alt=""></p>` +
				strings.Repeat("<p>"+strings.Repeat("A sentence of some words. ", 12)+"</p>", 12)
			p.ImageURL = src
			s.posts = append(s.posts, p)
		}
		all = append(all, s)
	}
	return looking(digest.Look{Layout: layout, Images: digest.ProxiedImages}, all...)
}

// TestRoomIsSpent: if not all posts can have the reader's layout, the remaining room goes to the first post of each
// site, then to the second, and so on. The limits still apply.
func TestRoomIsSpent(t *testing.T) {
	room := size{maxPlain, maxCoded}
	for layout, deepest := range map[digest.Layout]depth{digest.Excerpts: full, digest.FullText: whole} {
		m, err := proxied.newMail(aFullDay(layout, 26, 3))
		if err != nil {
			t.Fatal(err)
		}
		p := m.fit()
		used, counts := m.frame.size().plus(p.size()), map[depth]int{}
		lacking := map[int]bool{} // rounds with a post at less depth
		m.rounds(func(section, post int) bool {
			d := m.depth(p, section, post)
			counts[d]++
			lacking[post] = lacking[post] || d != deepest
			if lacking[post-1] && d != short {
				t.Errorf("%s: post %d of site %d is shown at depth %d, one before it at less", layout, post, section, d)
			}
			return true
		})
		if counts[deepest] < 26 || counts[short] < 5 {
			t.Errorf("%s: by depth there are %v", layout, counts)
		}
		if !used.within(room) || used.sent() < maxCoded*97/100 && used.plain < maxPlain*97/100 {
			t.Errorf("%s: it takes %v of %v", layout, used, room)
		}
		html, _ := m.join(p)
		if n := strings.Count(html.join().decoded(), "<img"); n < 26 {
			t.Errorf("%s: %d pictures of 26 sites", layout, n)
		}
	}
}

// TestRoomOfAServer: if a server accepts less than mail programs show, the email is as large as the limit allows,
// and says what it leaves out.
func TestRoomOfAServer(t *testing.T) {
	r, all := New(nil), 0
	for _, most := range []int{0, 60_000, 30_000, 15_000} {
		e := large(400)
		e.Room = most
		m, err := r.EncodedMail(e)
		if err != nil {
			t.Fatal(err)
		}
		n := len(strings.Join(m.HTML, ""))
		if most == 0 {
			all = n
			continue
		}
		if n > most || n < most*8/10 || n >= all {
			t.Errorf("%d bytes where there is room for %d, and %d without a limit", n, most, all)
		}
		if !strings.Contains(strings.Join(m.Text, ""), "more on the web") {
			t.Errorf("with room for %d it leaves posts out and does not say so", most)
		}
	}
}
