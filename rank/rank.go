// Package rank decides how prominent each post of an edition is: which post leads, which come second, and which are
// only a line. It looks at the posts' form and at their sites' history, never at clicks or time spent. It is pure: the
// same posts always get the same ranks.
package rank

import (
	"cmp"
	"slices"
	"time"

	"digest"
)

// A Rank is the prominence of a post.
type Rank uint8

const (
	Standard Rank = iota
	Brief         // one line: the fourth or a later post of its site
	Second        // above the standard posts
	Lead          // at most one post of an edition
)

// A Reason is the main reason for a rank.
type Reason uint8

const (
	Ordinary Reason = iota
	Chosen          // the reader chose the site to lead
	Silence         // the first post of its site in a long time, see Place.Silence
	Long            // much text
	Pictured        // a large picture
	Alone           // the only post of its site
	Crowded         // several posts of its site come before it
	Flooded         // its site published far more than usual, see Floods
	OverTime        // the reading time is full, see Beyond
)

// A Post is the form of one post.
type Post struct {
	ID       digest.PostID
	Headline bool      // its title is a headline, see IsHeadline; false for a note
	Series   bool      // its title has the opening of an earlier title of its site, see Opening
	Words    int       // of its text; for Chinese, Japanese and Korean an equivalent
	Picture  int       // width of its picture in CSS pixels; 0 if it has none that is known to load, or of unknown size
	At       time.Time // of publication
	Late     bool      // it belongs to an earlier edition
}

// A Site is a site of the edition, with its posts in the order of the edition.
type Site struct {
	Chosen bool // the reader chose it to lead
	Count  int  // its posts in the edition, also those that Posts omits
	Folder int  // position of its folder in the edition
	Whole  bool // the reader wants all its posts in the same form
	Lines  bool // the reader wants only its headlines
	Best   bool // its best posts are more than a line, not its newest
	Folded bool // the edition has one line in place of its posts
	Posts  []Post
	digest.FeedHistory
}

// A Place is the rank of a post with its main reason.
type Place struct {
	Rank    Rank
	Reason  Reason
	Silence time.Duration // time since the site's previous post, if the reason is Silence
	score   int
}

const (
	mostFull     = 3   // posts of a site that are more than a line
	firehose     = 300 // posts in 30 days from which a site leads only if the reader chose it
	busy         = 30  // posts in 30 days from which a site comes after others of the same form
	fewestPosts  = 5   // posts of an edition that has seconds
	postsASecond = 5   // posts of an edition for each second beyond the first
	leastSeconds = 2
	mostSeconds  = 5
	secondScore  = 2
	fewWords     = 20 // a shorter text leads only with a picture
	largePicture = 400
	inSeries     = 3 // points that a post of a series loses
	day          = 24 * time.Hour
)

// Rest is the number of editions in which a site cannot lead after it led.
const Rest = 4

// Of ranks the posts of an edition. ledLately has the sites that led the latest editions and that cannot lead this one.
// kept is the post that led when the edition was first shown; 0: it was not shown. It leads again, unless the reader
// has chosen a site since.
func Of(sites []Site, ledLately []digest.FeedID, kept digest.PostID) map[digest.PostID]Place {
	places, all := map[digest.PostID]Place{}, []candidate{}
	for _, s := range sites {
		limited := !s.Whole && !s.Lines && (s.Best || len(sites) > 1 && !s.Chosen)
		for i, c := range s.candidates(slices.Contains(ledLately, s.FeedID), kept) {
			places[c.ID] = c.place
			switch {
			case s.Folded:
				places[c.ID] = Place{Rank: Brief, Reason: Flooded}
			case limited && i >= mostFull && !c.kept:
				places[c.ID] = Place{Rank: Brief, Reason: Crowded}
			case !s.Lines && !c.Late:
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, before)
	lead := slices.IndexFunc(all, candidate.leads)
	if lead >= 0 {
		c := all[lead]
		c.place.Rank = Lead
		places[c.ID] = c.place
	}
	room, taken := seconds(len(places)), map[digest.FeedID]bool{}
	if lead >= 0 {
		taken[all[lead].site.FeedID] = true
	}
	for _, c := range all {
		if room > 0 && !taken[c.site.FeedID] && c.place.score >= secondScore && c.Headline {
			c.place.Rank = Second
			places[c.ID], taken[c.site.FeedID], room = c.place, true, room-1
		}
	}
	return places
}

// seconds returns the number of seconds that an edition has room for.
func seconds(posts int) int {
	if posts < fewestPosts {
		return 0
	}
	return min(mostSeconds, max(leastSeconds, posts/postsASecond))
}

type candidate struct {
	Post
	site      Site
	place     Place
	ledLately bool
	kept      bool
}

// candidates returns the posts of a site in the order in which they are more than a line.
func (s Site) candidates(rests bool, kept digest.PostID) []candidate {
	all, earliest := make([]candidate, len(s.Posts)), s.earliest()
	for i, p := range s.Posts {
		all[i] = candidate{Post: p, site: s, place: s.score(p, earliest), ledLately: rests, kept: p.ID == kept}
	}
	if s.Best {
		slices.SortStableFunc(all, func(x, y candidate) int {
			return cmp.Or(first(x.kept, y.kept), first(y.Late, x.Late), first(x.Headline, y.Headline),
				cmp.Compare(y.place.score, x.place.score))
		})
	}
	return all
}

// leads reports whether the post can be the lead.
func (c candidate) leads() bool {
	switch {
	case c.site.Chosen, c.kept:
		return true
	case c.ledLately || c.site.Recent >= firehose || !c.Headline || c.Series && c.place.score < 1:
		return false
	}
	return c.Words >= fewWords || c.Picture >= largePicture
}

// before compares two candidates for the lead: a chosen site, then the lead of before, then the score, then the
// reader's order of folders, then the longer text, then the newer post.
func before(x, y candidate) int {
	return cmp.Or(first(x.site.Chosen, y.site.Chosen), first(x.kept, y.kept),
		cmp.Compare(y.place.score, x.place.score), cmp.Compare(x.site.Folder, y.site.Folder),
		cmp.Compare(y.Words, x.Words), y.At.Compare(x.At), cmp.Compare(x.ID, y.ID))
}

func first(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// earliest returns the time of the site's earliest post in the edition, which ends its silence.
func (s Site) earliest() time.Time {
	if len(s.Posts) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(s.Posts, func(a, b Post) int { return a.At.Compare(b.At) }).At
}

// score returns the points of a post, with the reason for most of them.
func (s Site) score(p Post, earliest time.Time) Place {
	silence := p.At.Sub(s.Last)
	if s.Last.IsZero() || p.At.IsZero() || p.At.After(earliest) {
		silence = 0
	}
	series := 0
	if p.Series {
		series = inSeries
	}
	points := []struct {
		n int
		Reason
	}{
		{step(int(silence/day), 21, 60, 180) * 2, Silence},
		{step(p.Words, 60, 250, 600, 1200), Long},
		{2 * step(p.Picture, largePicture), Pictured},
		{step(s.Count, 1) - step(s.Count, 2), Alone},
		{-step(s.Recent, busy, 3*busy), Ordinary},
		{-series, Ordinary},
	}
	place, most := Place{}, 0
	for _, part := range points {
		place.score += part.n
		if part.n > most {
			most, place.Reason = part.n, part.Reason
		}
	}
	if s.Chosen {
		place.Reason = Chosen
	}
	if place.Reason == Silence {
		place.Silence = silence
	}
	return place
}

// step returns how many of the limits n reaches.
func step(n int, limits ...int) (reached int) {
	for _, limit := range limits {
		if n >= limit {
			reached++
		}
	}
	return reached
}
