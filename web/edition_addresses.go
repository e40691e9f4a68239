package web

import (
	"net/url"
	"strconv"

	"digest"
)

// Back returns the address to which a form redirects: this page, at the post.
func (p editionPage) Back(id digest.PostID) string {
	return p.At(p.Part) + "#post-" + strconv.FormatInt(int64(id), 10)
}

// At returns the address of a page of the edition, in the current view.
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

func (p editionPage) siteAt(id digest.FeedID) string {
	return p.Path + "?site=" + strconv.FormatInt(int64(id), 10)
}

// menuOf returns the address of the menu of a section's site, or "" if the reader cannot change the
// site.
func (p editionPage) menuOf(s *editionSection) string {
	if !p.Own || p.Letter != nil {
		return ""
	}
	return menuPath(s.Feed, p.addressOf(s))
}

func (p editionPage) addressOf(s *editionSection) string {
	return p.At(p.Part) + "#site-" + strconv.Itoa(s.Place)
}

func (p editionPage) AllParts() []int {
	all := make([]int, p.Parts)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
