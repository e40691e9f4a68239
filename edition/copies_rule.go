package edition

import (
	"cmp"
	"slices"
	"strings"

	"digest"
	"digest/internal/words"
)

// A source is a post with its feed, as the rule needs them.
type source struct {
	digest.Post
	Feed  digest.FeedLabel
	title []string // its words
	said  []string // those of its content
}

func newSource(p digest.Post, f digest.FeedLabel) source {
	return source{p, f, words.Document(p.Title), words.Document(words.Text(p.Content))}
}

// isAtHome reports whether the post has an address at the site where its feed was read.
func (s source) isAtHome() bool { return within(s.URL, s.Feed.Domain) }

// within reports whether an address is at a domain or below it.
func within(address, domain string) bool {
	host, _, _ := strings.Cut(place(address), "/")
	host, _, _ = strings.Cut(host, ":")
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}

func (s source) hasAddressOf(o source) bool {
	return place(s.URL) != "" && place(s.URL) == place(o.URL)
}

// consentsTo reports whether the post's own feed says that it is the other one.
func (s source) consentsTo(o source) bool {
	if s.hasAddressOf(o) {
		return !s.isAtHome() || o.isAtHome()
	}
	for _, address := range namedBy(s.Post) {
		if place(address) == place(o.URL) {
			return true
		}
	}
	return s.claims(o)
}

// claims reports whether the author of the post says that the other's site is theirs.
func (s source) claims(o source) bool {
	for _, page := range strings.Fields(s.Feed.Me) {
		if at := place(page); at != "" && o.isAtHome() && strings.HasPrefix(place(o.URL)+"/", at+"/") {
			return true
		}
	}
	return false
}

// manyOwnWords is how many words beside the other's an announcement by the same author may have,
// and ownWords how many one by anybody.
const (
	manyOwnWords = 60
	ownWords     = 3
)

// addsNothing reports whether all that the post says is said by the other. Who says of each other
// that they are the same post may put it in other words.
func (s source) addsNothing(o source, mutual bool) bool {
	said, other := s.said, slices.Concat(o.title, []string{words.Filler}, o.said)
	if s.hasAddressOf(o) && (s.isAtHome() || !o.isAtHome()) && !slices.Equal(s.title, o.title) {
		return len(said) >= fewWords && holds(other, said) // two of a site, or two who pass it on
	}
	if holds(other, said) {
		return true
	}
	own := 0
	for _, w := range said {
		if !slices.Contains(other[:min(len(other), titleWords)], w) && !strings.Contains(place(o.URL), w) && w != words.Filler {
			own++
		}
	}
	if mutual {
		return own <= manyOwnWords
	}
	return own <= ownWords
}

// titleWords is how much of a post an announcement is likely to repeat.
const titleWords = 40

// holds reports whether nearly all that is said stands in a text, in runs of three words.
func holds(text, said []string) bool {
	const run = 3
	if len(said) < run {
		return len(said) == 0 || slices.Contains(text, said[0]) && slices.Contains(text, said[len(said)-1])
	}
	runs := make(map[[run]string]bool, len(text))
	for i := 0; i+run <= len(text); i++ {
		runs[[run]string(text[i:i+run])] = true
	}
	missing := 0
	for i := 0; i+run <= len(said); i++ {
		if !runs[[run]string(said[i:i+run])] {
			missing++
		}
	}
	return missing*10 <= len(said)*2
}

// A verdict says which of two posts is left out for the other.
type verdict int8

const (
	bothStay verdict = iota
	firstLeft
	secondLeft
)

// judge says which of two posts of different feeds is left out: rather the one that is not at
// home, or says less, or came later.
func judge(a, b source) verdict {
	less, more, lessLeft, moreLeft := a, b, firstLeft, secondLeft
	if betterThan(a, b) {
		less, more, lessLeft, moreLeft = b, a, secondLeft, firstLeft
	}
	there, back := less.consentsTo(more), more.consentsTo(less)
	mutual := there && back && !a.hasAddressOf(b) // two who pass on one address know nothing of each other
	switch {
	case there && less.addsNothing(more, mutual):
		return lessLeft
	case back && more.addsNothing(less, mutual):
		return moreLeft
	}
	return bothStay
}

func betterThan(a, b source) bool {
	if a.hasAddressOf(b) && a.isAtHome() != b.isAtHome() {
		return a.isAtHome()
	}
	return cmp.Or(cmp.Compare(len(b.Content), len(a.Content)), cmp.Compare(a.ID, b.ID)) < 0
}
