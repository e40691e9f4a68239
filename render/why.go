package render

import (
	"fmt"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
)

// A Copy is a post that is left out of an edition, because a post of another site is the same or tells the same story.
type Copy struct {
	*Post
	Site  string        // its own site
	Shown digest.PostID // the post in its place
}

// Why returns the reason for the place of the i-th post of a section in the edition, as one sentence. The rest comes
// after Posts.
func (e *Edition) Why(s *Section, i int) catalogue.Sayable {
	place := s.Place(i)
	switch {
	case i >= len(s.Posts) && s.RestLabel != MoreHeadlines, s.isLate(i):
		return catalogue.Key("It comes last, because it is from an earlier day.")
	case place.Reason == rank.OverTime:
		return catalogue.Key("Also today: one line, because your reading time was full.")
	case place.Reason == rank.Flooded:
		return catalogue.Key("Behind one line, because this site published far more than usual.")
	case i >= len(s.Posts) || place.Rank == rank.Brief:
		return catalogue.Key("One line, because three posts from this site come before it.")
	case e.Layout == digest.Headlines && e.LayoutOf(*s) == digest.Headlines:
		return catalogue.Key("One line, because you chose headlines for your editions.")
	case e.LayoutOf(*s) == digest.Headlines:
		return catalogue.Key("One line, because you chose headlines for this site.")
	case place.Rank == rank.Lead:
		return s.whyLead(place, s.Posts[i].Words, e.pictureWidth(s.Posts[i]))
	case place.Rank == rank.Second:
		return s.whySecond(place, s.Posts[i].Words, e.pictureWidth(s.Posts[i]))
	}
	return catalogue.Key("In its place by folder and site.")
}

// pictureWidth returns the width of a post's picture by which it is ranked.
func (e *Edition) pictureWidth(p *Post) int {
	return p.Picture.Learned(e.PictureSizes, rank.Lead).Width
}

// The lengths of a silence in sentences.
const (
	aDay          = 24 * time.Hour
	aMonth        = 30 * aDay
	inMonthsAfter = 2 * aMonth
)

func (s *Section) whyLead(p rank.Place, words, width int) catalogue.Sayable {
	switch {
	case p.Reason == rank.Chosen:
		return catalogue.Key("It leads, because you chose this site.")
	case p.Reason == rank.Silence && p.Silence >= inMonthsAfter:
		return catalogue.Key("It leads, because it is the first post from %[2]s in %[1]d months.").With(
			int(p.Silence/aMonth), SiteName(s.Title, s.URL))
	case p.Reason == rank.Silence:
		return catalogue.Key("It leads, because it is the first post from %[2]s in %[1]d days.").With(
			int(p.Silence/aDay), SiteName(s.Title, s.URL))
	case p.Reason == rank.Long:
		return catalogue.Key("It leads, because of its length (%d words).").With(words)
	case p.Reason == rank.Pictured:
		return catalogue.Key("It leads, because of its picture (%d pixels wide).").With(width)
	case p.Reason == rank.Alone:
		return catalogue.Key("It leads, because it is the only post from %s.").With(SiteName(s.Title, s.URL))
	}
	return catalogue.Key("It leads, because no other post has more points.")
}

func (s *Section) whySecond(p rank.Place, words, width int) catalogue.Sayable {
	switch {
	case p.Reason == rank.Silence && p.Silence >= inMonthsAfter:
		return catalogue.Key("Large headline, because it is the first post from %[2]s in %[1]d months.").With(
			int(p.Silence/aMonth), SiteName(s.Title, s.URL))
	case p.Reason == rank.Silence:
		return catalogue.Key("Large headline, because it is the first post from %[2]s in %[1]d days.").With(
			int(p.Silence/aDay), SiteName(s.Title, s.URL))
	case p.Reason == rank.Pictured:
		return catalogue.Key("Large headline, because of its picture (%d pixels wide).").With(width)
	}
	return catalogue.Key("Large headline, because of its length (%d words).").With(words)
}

// OnlyOnWeb returns the number of posts that the email of an edition leaves out, by site.
func (r *Renderer) OnlyOnWeb(e Edition) (map[digest.FeedID]int, error) {
	m, err := r.newMail(e)
	if err != nil {
		return nil, fmt.Errorf("rendering the email of an edition: %w", err)
	}
	left, p := map[digest.FeedID]int{}, m.fit()
	for i, s := range m.Sections {
		n := s.Left
		for j := range s.count() {
			if m.depth(p, i, j) == omitted {
				n++
			}
		}
		if n > 0 {
			left[s.Feed] += n
		}
	}
	return left, nil
}
