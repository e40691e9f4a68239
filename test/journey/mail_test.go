package journey

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"digest/test/inbox"

	chromium "digest/test/browser"
)

// letters returns the mail for an address, ordered by file.
func (h *house) letters(to string) []inbox.Letter {
	h.t.Helper()
	return slices.DeleteFunc(inbox.Open(h.Maildir()).Arrived(h.t), func(l inbox.Letter) bool { return l.To != to })
}

// await waits for a letter to an address.
func (h *house) await(to, what string, found func(l inbox.Letter) bool) inbox.Letter {
	h.t.Helper()
	for deadline := time.Now().Add(2 * chromium.Patience); time.Now().Before(deadline); <-time.After(glance) {
		letters := h.letters(to)
		if i := slices.IndexFunc(letters, found); i >= 0 {
			return letters[i]
		}
	}
	h.t.Fatalf("no letter with %q came for %s", what, to)
	return inbox.Letter{}
}

// awaitEdition waits for the edition of a day. Its date is in the second line of the text.
func (h *house) awaitEdition(to, day string) inbox.Letter {
	h.t.Helper()
	return h.await(to, day, func(l inbox.Letter) bool { return strings.Contains(l.Text, "\n"+day+" 20") })
}

// awaitLetter waits for a letter whose text contains the words.
func (h *house) awaitLetter(to, words string) {
	h.t.Helper()
	h.await(to, words, func(l inbox.Letter) bool { return strings.Contains(l.Text, words) })
}

// awaitLink waits for a letter with a new link that contains a word.
func (h *house) awaitLink(to, word string) (link string) {
	h.t.Helper()
	h.await(to, word, func(l inbox.Letter) bool {
		for _, link = range linkPattern.FindAllString(l.Text, -1) {
			if strings.Contains(link, word) && !h.used[link] {
				h.used[link] = true
				return true
			}
		}
		return false
	})
	return link
}

// idle runs the hourly job until all due work is done.
func (h *house) idle() {
	h.t.Helper()
	h.stop()
	h.run("tick", "--now", h.now.Format(time.RFC3339))
	h.at(h.now)
}

var linkPattern = regexp.MustCompile(`https?://[^\s<>"]+`)
