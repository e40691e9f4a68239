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
	return source{p, f, words.Document(p.Title), words.Document(words.Text(cmp.Or(p.Content, p.Summary)))}
}

// A home says how near the address of a post is to where its feed was read. Who may write at one
// host of a domain need not be who may at another.
type home int8

const (
	away home = iota
	inDomain
	atHost
)

func (s source) home() home {
	feedHost, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(s.Feed.Host), "www."), ":")
	switch {
	case feedHost != "" && hostOf(s.URL) == feedHost:
		return atHost
	case within(s.URL, s.Feed.Domain):
		return inDomain
	}
	return away
}

// hostOf gives the host of an address, without its port and www.
func hostOf(address string) string {
	host, _, _ := strings.Cut(place(address), "/")
	host, _, _ = strings.Cut(host, ":")
	return host
}

// within reports whether an address is at a domain or below it.
func within(address, domain string) bool {
	host := hostOf(address)
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}

func (s source) hasAddressOf(o source) bool {
	return place(s.URL) != "" && place(s.URL) == place(o.URL)
}

// consentsTo reports whether the post's own feed says that it is the other one. A link to it says so only with
// nothing beside it but the other's title and address: most critics link to what they criticise.
func (s source) consentsTo(o source) bool {
	if s.hasAddressOf(o) {
		return s.home() <= o.home()
	}
	if s.isDeclared(o) {
		return true
	}
	return names(strings.Join(namedBy(s.Post), " "), o.URL) && s.ownIn(slices.Concat(s.title, s.said), o, false) == 0
}

// names reports whether an address is among others, with spaces between them.
func names(addresses, address string) bool {
	at := place(address)
	return at != "" && slices.ContainsFunc(strings.Fields(addresses), func(a string) bool { return place(a) == at })
}

// claims reports whether the author of the post says that the other's site is theirs.
func (s source) claims(o source) bool {
	for _, page := range strings.Fields(s.Feed.Me) {
		if at := place(page); at != "" && o.home() != away && strings.HasPrefix(place(o.URL)+"/", at+"/") {
			return true
		}
	}
	return false
}

// How many words beside the other's an announcement may have and still add nothing.
const (
	ownWords      = 1  // by anybody, as "Comments" of an aggregator
	authorsWords  = 8  // by who says that the other is theirs
	namesakeWords = 60 // if the other's author says so as well
)

// addsNothing reports whether all that the post says is said by the other, but for some words. Of two
// with one address that differ in their titles, or of which neither is the original, nearly nothing may differ: what
// the other says may have been written to say this, too.
func (s source) addsNothing(o source, most int) bool {
	if s.shows(o) {
		return false
	}
	if s.hasAddressOf(o) && s.home() == o.home() && !slices.Equal(s.title, o.title) {
		return len(s.said) >= fewWords && holds(o.said, s.said) // two of a site, or two who pass it on
	}
	if s.ownIn(s.title, o, false) > most {
		return false
	}
	if s.hasAddressOf(o) && s.home() < o.home() && !beginsAs(s.said, o.said) {
		return s.ownIn(s.said, o, false) <= most
	}
	return holds(slices.Concat(o.title, []string{words.Filler}, o.said), s.said) || s.ownIn(s.said, o, true) <= most
}

// ownIn counts the words of a post that are neither in the other's title nor in its address; beginning: nor at
// the beginning of its text.
func (s source) ownIn(said []string, o source, beginning bool) (own int) {
	other := o.title
	if beginning {
		other = slices.Concat(o.title, o.said)
		other = other[:min(len(other), titleWords)]
	}
	for _, w := range said {
		if w != words.Filler && w != "http" && w != "https" && !slices.Contains(other, w) && !strings.Contains(place(o.URL), w) {
			own++
		}
	}
	return own
}

// beginsAs reports whether a text begins where another does: as an excerpt or a copy, and not as what is
// quoted somewhere in it.
func beginsAs(said, other []string) bool {
	const first = 5
	n := min(first, len(said))
	return n == 0 || len(other) >= n && slices.Equal(said[:n], other[:n])
}

// shows reports whether the post has a sound or a film that the other has not, or is hardly more than
// a picture that the other does not show.
func (s source) shows(o source) bool {
	has := func(all []digest.Enclosure, url string) bool {
		return slices.ContainsFunc(all, func(e digest.Enclosure) bool { return place(e.URL) == place(url) })
	}
	for _, e := range s.Enclosures {
		if !has(o.Enclosures, e.URL) && !strings.Contains(o.Content, e.URL) {
			return true
		}
	}
	if len(s.said) >= fewWords {
		return false
	}
	for _, markup := range strings.SplitAfter(s.Content, ` src="`)[1:] {
		if address, _, _ := strings.Cut(markup, `"`); !strings.Contains(o.Content, address) {
			return true
		}
	}
	return false
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
	switch {
	case less.isSaidBy(more):
		return lessLeft
	case more.isSaidBy(less):
		return moreLeft
	}
	return bothStay
}

// isSaidBy reports whether the post may be left out for the other. One that is away from home, or on a host
// that many share by names in its paths, can stand for another only if it says the very same: anybody may write any
// address beside their own words.
func (s source) isSaidBy(o source) bool {
	if !s.consentsTo(o) || !s.addsNothing(o, s.wordsBeside(o)) {
		return false
	}
	return o.home() != away && !isShared(o.URL) || s.isSameAs(o)
}

// isSameAs reports whether two posts say the same and lead to the same places, or both say nothing.
func (s source) isSameAs(o source) bool {
	if s.ownIn(s.said, o, false) <= ownWords && o.ownIn(o.said, s, false) <= ownWords {
		return true
	}
	return slices.Equal(s.said, o.said) && slices.Equal(hrefs(s.Content), hrefs(o.Content))
}

// isShared reports whether an address is in somebody's own part of a host: /~anna/, /@anna/.
func isShared(address string) bool {
	_, path, _ := strings.Cut(place(address), "/")
	return strings.HasPrefix(path, "~") || strings.HasPrefix(path, "@")
}

// wordsBeside is how many words of its own the post may have and be left out for the other. Who links
// to a post may well disagree with it: a link alone does not make them one.
func (s source) wordsBeside(o source) int {
	switch {
	case s.hasAddressOf(o), !s.isDeclared(o):
		return ownWords
	case !o.isDeclared(s):
		return authorsWords
	}
	return namesakeWords
}

// isDeclared reports whether the author of the post says that the other is theirs, or a copy of it.
func (s source) isDeclared(o source) bool {
	return names(s.Syndication, o.URL) || s.claims(o)
}

// betterThan prefers the post that is nearer to its home, then the longer one, then the earlier.
func betterThan(a, b source) bool {
	if a.hasAddressOf(b) && a.home() != b.home() {
		return a.home() > b.home()
	}
	return cmp.Or(cmp.Compare(len(b.Content), len(a.Content)), cmp.Compare(a.ID, b.ID)) < 0
}
