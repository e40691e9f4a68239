package edition

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"digest"
	"digest/internal/textsearch"
	"digest/internal/weburl"
)

// A source is a post with its feed, in the form that the rule needs.
type source struct {
	digest.Post
	Feed  digest.FeedLabel
	home  home
	place string // of its address
	title []string
	said  []string

	runs map[[run]string]bool // of title and said; nil: not made yet
}

func newSource(p digest.Post, f digest.FeedLabel) *source {
	return &source{
		Post: p, Feed: f, home: homeOf(p.URL, f), place: place(p.URL),
		title: textsearch.Document(p.Title), said: textsearch.Document(textsearch.Text(cmp.Or(p.Content, p.Summary))),
	}
}

// A home says how near the address of a post is to the address of its feed. If it is more than away, only the
// author of the feed can publish at the post's address.
type home int

const (
	away home = iota
	inDomain
	atHost // and one more for each folder that both addresses are in
)

func homeOf(post string, f digest.FeedLabel) home {
	p, err := url.Parse(weburl.Escaped(post))
	if err != nil {
		return away
	}
	u, err := url.Parse(weburl.Escaped(f.URL))
	if err != nil {
		return away
	}
	folders := foldersOf(u)
	switch {
	case sameHost(p, u) && startsWith(foldersOf(&url.URL{Path: p.Path}), folders):
		return atHost + home(len(folders))
	case p.Hostname() != u.Hostname() && p.Port()+u.Port() == "" && within(p.Hostname(), f.Domain) &&
		isOfDomain(u.Hostname(), f.Domain):
		return inDomain
	}
	return away
}

// sameHost reports whether two hosts with their ports are the same, except for www and the ports of http and https.
func sameHost(a, b *url.URL) bool {
	host := func(u *url.URL) string {
		host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
		return strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
	}
	return a.Host != "" && host(a) == host(b)
}

func within(host, domain string) bool {
	host = strings.ToLower(host)
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}

// isOfDomain reports whether a host may have feeds of the whole domain: the domain itself, or a host such as feeds.
// Any other host may belong to another author, as anna.example.com and bob.example.com do.
func isOfDomain(host, domain string) bool {
	name, rest, _ := strings.Cut(strings.ToLower(host), ".")
	return strings.EqualFold(strings.TrimPrefix(host, "www."), domain) || rest == domain &&
		slices.Contains([]string{"feed", "feeds", "rss"}, name)
}

// foldersOf returns the parts of an address that may name an author. It leaves out parts that only name a feed or
// announce a name, and the extension of a file. The values of a query count as folders.
func foldersOf(u *url.URL) (folders []string) {
	parts := strings.Split(u.Path, "/")
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		parts = append(parts, cmp.Or(value, name))
	}
	for _, part := range parts {
		part = strings.TrimLeft(part, "~@.")
		for slices.Contains(endings, part[strings.LastIndexByte(part, '.')+1:]) && strings.Contains(part, ".") {
			part = part[:strings.LastIndexByte(part, '.')]
		}
		if part != "" && !slices.Contains(formats, strings.ToLower(part)) {
			folders = append(folders, part)
		}
	}
	return folders
}

// Extensions and folders that name no author.
var (
	endings = []string{"xml", "rss", "atom", "rdf", "json", "html", "htm", "php", "asp", "aspx", "cgi"}
	formats = []string{"feed", "feeds", "rss", "rss2", "atom", "rdf", "xml", "json", "index", "default", "posts",
		"outbox", "user", "users"}
)

func startsWith(folders, with []string) bool {
	return len(folders) >= len(with) && slices.Equal(folders[:len(with)], with)
}

type verdict int8

const (
	bothStay verdict = iota
	firstLeft
	secondLeft
)

// judge decides which of two posts of different feeds is left out. It prefers the longer post, or else the earlier
// one.
func judge(a, b *source) verdict {
	less, more, lessLeft, moreLeft := a, b, firstLeft, secondLeft
	if cmp.Or(cmp.Compare(len(b.Content), len(a.Content)), cmp.Compare(a.ID, b.ID)) < 0 {
		less, more, lessLeft, moreLeft = b, a, secondLeft, firstLeft
	}
	switch {
	case less.isCopyOf(more):
		return lessLeft
	case more.isCopyOf(less):
		return moreLeft
	}
	return bothStay
}

// isCopyOf reports whether the post may be left out for the other one. Anyone can write any address beside their
// own text. So the two must look the same to a reader if the other post is not known to be at home, or if both are
// equally near.
func (s *source) isCopyOf(o *source) bool {
	switch sameAddress := s.place != "" && s.place == o.place; {
	case s.isDeclared(o):
		return (o.home > away || s.isSameAs(o)) && s.isAnnouncementOf(o)
	case sameAddress && s.home == o.home:
		return s.ID > o.ID && s.isSameAs(o)
	case sameAddress:
		return s.home < o.home && s.isTitledAs(o) && s.addsNothing(o)
	}
	return o.home > away && s.isLinkTo(o)
}

// isSameAs reports whether two posts show the same: title, author, text with its links and pictures, and files.
func (s *source) isSameAs(o *source) bool {
	line := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	return line(s.Title) == line(o.Title) && line(s.Author) == line(o.Author) && line(s.Summary) == line(o.Summary) &&
		line(s.Content) == line(o.Content) &&
		s.ImageURL == o.ImageURL && s.LeadsTo == o.LeadsTo && s.Extra == o.Extra &&
		slices.EqualFunc(s.Enclosures, o.Enclosures, sameFile)
}

func sameFile(a, b digest.Enclosure) bool {
	chapters := slices.Equal(a.ChapterList, b.ChapterList)
	a.ChapterList, b.ChapterList = nil, nil
	return chapters && a.URL == b.URL && a.Type == b.Type && a.Seconds == b.Seconds && a.Chapters == b.Chapters &&
		a.Transcript == b.Transcript
}

// isTitledAs reports whether a post has no title or the title of the other one. Planets write the name of the feed
// or the author before that title.
func (s *source) isTitledAs(o *source) bool {
	if s.Untitled || slices.Equal(s.title, o.title) {
		return true
	}
	name, own := len(s.title)-len(o.title), textsearch.Document(o.Feed.Title, o.Author)
	return name > 0 && slices.Equal(s.title[name:], o.title) && strings.Contains(s.Title, ":") &&
		!slices.ContainsFunc(s.title[:name], func(w string) bool { return !slices.Contains(own, w) })
}

// addsNothing reports whether a post with the other's address and title shows nothing new, except a link to its own
// site. It must begin as the other does: a post that quotes the other somewhere is no copy.
func (s *source) addsNothing(o *source) bool {
	if s.hasFileBeside(o) || s.hasPictureBeside(o) || s.leadsElsewhere(o) {
		return false
	}
	return s.fewOwn(s.said, o.title, o, ownWords) || beginsAs(s.said, o.said) && o.holds(s.said)
}

// isLinkTo reports whether a post is only a link to the other one, with the other's title.
func (s *source) isLinkTo(o *source) bool {
	if !names(strings.Join(namedBy(s.Post), " "), o.URL) || !s.isTitledAs(o) || s.hasFileBeside(o) ||
		s.hasPictureBeside(o) || s.leadsElsewhere(o) {
		return false
	}
	said, title := o.withoutAddress(s.said), o.withoutAddress(o.title)
	return len(said) == 0 || slices.Equal(said, title)
}

// isDeclared reports whether the author of the post says that the other is theirs or a copy.
func (s *source) isDeclared(o *source) bool {
	return names(s.Syndication, o.URL) || s.claims(o)
}

// claims reports whether the author of the post says that the other's site is theirs.
func (s *source) claims(o *source) bool {
	for _, page := range strings.Fields(s.Feed.Me) {
		if at := place(page); at != "" && o.home > away && strings.HasPrefix(o.place+"/", at+"/") {
			return true
		}
	}
	return false
}

// names reports whether addresses, separated by spaces, contain an address.
func names(addresses, address string) bool {
	at := place(address)
	return at != "" && slices.ContainsFunc(strings.Fields(addresses), func(a string) bool { return place(a) == at })
}

// How many words of its own a post may have and still add nothing.
const (
	ownWords      = 1  // in any post, such as "Comments" in an aggregator
	authorsWords  = 8  // if the author says that the other post is theirs
	namesakeWords = 60 // if the other's author says so too
)

// titleWords is how many words of a post an announcement is likely to repeat.
const titleWords = 40

// isAnnouncementOf reports whether a post whose author claims the other one hardly says more than that.
func (s *source) isAnnouncementOf(o *source) bool {
	most := authorsWords
	if o.isDeclared(s) {
		most = namesakeWords
	}
	if s.hasFileBeside(o) || len(s.said) < fewWords && s.hasPictureBeside(o) || !s.fewOwn(s.title, o.title, o, most) {
		return false
	}
	beginning := slices.Concat(o.title, o.said)
	return o.holds(s.said) || s.fewOwn(s.said, beginning[:min(len(beginning), titleWords)], o, most)
}

// fewOwn reports whether at most most words of said are neither in others nor in the other post's address.
func (s *source) fewOwn(said, others []string, o *source, most int) bool {
	known := make(map[string]bool, len(others))
	for _, w := range others {
		known[w] = true
	}
	for _, w := range said {
		if !known[w] && !o.isInAddress(w) {
			if most--; most < 0 {
				return false
			}
		}
	}
	return true
}

// isInAddress reports whether a word adds nothing to the address of the post.
func (s *source) isInAddress(word string) bool {
	return word == textsearch.Filler || word == "http" || word == "https" || strings.Contains(s.place, word)
}

func (s *source) withoutAddress(said []string) []string {
	return slices.DeleteFunc(slices.Clone(said), s.isInAddress)
}

// beginsAs reports whether two texts begin with the same words. An excerpt or a copy does, a text with a quotation
// somewhere does not.
func beginsAs(said, other []string) bool {
	const first = 5
	n := min(first, len(said))
	return n == 0 || len(other) >= n && slices.Equal(said[:n], other[:n])
}

// hasFileBeside reports whether the post has an enclosure that the other lacks.
func (s *source) hasFileBeside(o *source) bool {
	for _, e := range s.Enclosures {
		same := func(other digest.Enclosure) bool { return place(other.URL) == place(e.URL) }
		if !slices.ContainsFunc(o.Enclosures, same) && !strings.Contains(o.Content, e.URL) {
			return true
		}
	}
	return false
}

// hasPictureBeside reports whether the post shows a picture that the other does not show, in any size.
func (s *source) hasPictureBeside(o *source) bool {
	shown := map[string]bool{picture(o.ImageURL): true}
	for _, address := range attributes(o.Content, "src") {
		shown[picture(address)] = true
	}
	return slices.ContainsFunc(attributes(s.Content, "src"),
		func(address string) bool { return !shown[picture(address)] })
}

// picture returns the address of a picture without its query, and without the size that WordPress writes before the
// extension: boats-300x200.jpg.
func picture(address string) string {
	at, _, _ := strings.Cut(place(address), "?")
	dot, dash := strings.LastIndexByte(at, '.'), strings.LastIndexByte(at, '-')
	if dash < 0 || dot < dash || strings.Trim(at[dash+1:dot], "0123456789") != "x" {
		return at
	}
	return at[:dash] + at[dot:]
}

// leadsElsewhere reports whether the post has a link that the other lacks, except one to the other or to its own
// site.
func (s *source) leadsElsewhere(o *source) bool {
	known := map[string]bool{o.place: true}
	for _, address := range hrefs(o.Content) {
		known[place(address)] = true
	}
	return slices.ContainsFunc(append(hrefs(s.Content), strings.Fields(s.LeadsTo)...), func(address string) bool {
		u, err := url.Parse(weburl.Escaped(address))
		return !known[place(address)] && (err != nil || !within(u.Hostname(), s.Feed.Domain))
	})
}

// run is how many words in a row holds compares.
const run = 3

// holds reports whether the post contains nearly all runs of words in a text.
func (s *source) holds(said []string) bool {
	text := slices.Concat(s.title, []string{textsearch.Filler}, s.said)
	if len(said) < run {
		return len(said) == 0 || slices.Contains(text, said[0]) && slices.Contains(text, said[len(said)-1])
	}
	if s.runs == nil {
		s.runs = make(map[[run]string]bool, len(text))
		for i := 0; i+run <= len(text); i++ {
			s.runs[[run]string(text[i:i+run])] = true
		}
	}
	missing := 0
	for i := 0; i+run <= len(said); i++ {
		if !s.runs[[run]string(said[i:i+run])] {
			missing++
		}
	}
	return missing*10 <= len(said)*2
}
