package web

import (
	"net/url"
	"strconv"

	"digest"
)

// Back is where a form leads back to: this part, at the post.
func (p editionPage) Back(id digest.PostID) string {
	return p.At(p.Part) + "#post-" + strconv.FormatInt(int64(id), 10)
}

// At is the address of a part, in the form in which this one is shown.
func (p editionPage) At(part int) string { return p.at(part, p.lines) }

func (p editionPage) at(part int, lines bool) string {
	query := url.Values{}
	if p.OneSite != 0 {
		query.Set("site", strconv.FormatInt(int64(p.OneSite), 10))
	}
	if part > 1 {
		query.Set("sheet", strconv.Itoa(part))
	}
	if lines {
		query.Set("view", "headlines")
	}
	if len(query) == 0 {
		return p.Path
	}
	return p.Path + "?" + query.Encode()
}

// siteAt is the address of all posts of one site in the edition.
func (p editionPage) siteAt(id digest.FeedID) string {
	return p.Path + "?site=" + strconv.FormatInt(int64(id), 10)
}

// menuOf is the address of the own menu of a section's site.
func (p editionPage) menuOf(s *editionSection) string {
	if !p.Own || p.Letter != nil {
		return ""
	}
	return menuPath(s.Feed, p.At(p.Part)+"#site-"+strconv.Itoa(s.Place))
}

// AllParts are the numbers of all parts, for the way to them.
func (p editionPage) AllParts() []int {
	all := make([]int, p.Parts)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
