package render

import (
	"cmp"
	"slices"
	"strconv"

	"digest"
	"digest/internal/catalogue"
)

// maxWebOnly limits the sites that the end of an email names because it lacks posts of theirs.
const maxWebOnly = 12

// A webOnly is a site with posts that are only on the web.
type webOnly struct {
	*Section
	posts int
}

// webOnly returns the sites whose posts are only on the web, those with the most first.
func (m *mail) webOnly(p *plan) (all []webOnly) {
	at := map[digest.FeedID]int{}
	for i := range m.Sections {
		s := &m.Sections[i]
		n := s.Left
		for j := range s.count() {
			if m.depth(p, i, j) == omitted {
				n++
			}
		}
		k, known := at[s.Feed]
		switch {
		case n == 0:
		case known && s.Feed != 0:
			all[k].posts += n
		default:
			at[s.Feed] = len(all)
			all = append(all, webOnly{s, n})
		}
	}
	slices.SortStableFunc(all, func(a, b webOnly) int { return b.posts - a.posts })
	return all
}

// more returns the number of posts that are only in the web edition, and their sites with links.
func (m *mail) more(p *plan) pair {
	web, sites := cmp.Or(m.WebURL, m.HomeURL), m.webOnly(p)
	d := moreData{URL: web, Count: m.r.Say(catalogue.Key("%d more on the web").With(m.omitted(p))), Sites: &pieces{}}
	text := m.r.label(d.Count) + "\n" + web + "\n\n"
	for i, s := range sites[:min(len(sites), maxWebOnly)] {
		f := fileData{URL: web, Label: isolatedIf(m.r.mixes(s.Section), s.Title), More: i+1 < len(sites)}
		if m.BeyondURL != nil && s.Feed != 0 {
			f.URL = m.BeyondURL(s.Feed)
		}
		name := f.Label
		if m.r.mixes(s.Section) {
			name = lineMark(m.r.isRTL()) + name
		}
		if s.posts > 1 {
			f.Facts = strconv.Itoa(s.posts)
			name += " (" + f.Facts + ")"
		}
		m.r.file.write(d.Sites, f)
		text += itemText(name, f.URL)
	}
	if n := len(sites) - maxWebOnly; n > 0 {
		words := m.r.Say(catalogue.Key("and %d more sites").With(n))
		d.Sites.add(newPiece(words + "\n"))
		text += itemText(words, "")
	}
	return pair{m.r.more.piece(d), newText(text + "\n")}
}
