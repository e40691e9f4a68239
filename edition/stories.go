package edition

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/textsearch"
)

// An edition shows a story once, even if several sites publish it. Short posts that point to the same page are one
// story. Posts with the same headline and nearly the same first words are one story too: several papers print a report
// of one agency. The edition shows the longest post. It shows all posts if the languages differ or are unknown, if the
// numbers differ, or if the texts differ. So it shows two reviews of a film, and the same column of two sites.

// A story is what a post tells, in keys that are equal for equal words and pages. 0 is no key.
type story struct {
	page    int64    // at its address
	target  int64    // the page of another site that it points to
	linked  bool     // that page is only linked in its text
	title   uint64   // of the words of its headline; 0 if they are few
	words   []uint32 // of headline and summary, sorted, each once
	figures []uint32 // the words that contain digits
}

const (
	pointerWords  = 60 // a longer post says more than where it points to
	fewestTitle   = 4  // words of a headline that can name a story, without numbers
	mostWords     = 80 // of a story
	mostTellers   = 8  // posts with one headline; more of them are a column
	rareAmong     = 40 // a rare word is in at most one of 40 posts; in a short edition in at most rareIn
	rareIn        = 5
	fewestRare    = 4 // rare words of both posts
	fewestPointer = 2 // of two posts that link to one page
	storySpan     = 48 * time.Hour
	sharedTenths  = 6 // tenths of all words of two posts that are in both
)

func storyOf(p digest.Post, words int) story {
	s := story{page: feed.LinkKey(p.URL)}
	s.target, s.linked = targetOf(p, words)
	title, named := map[uint32]bool{}, 0
	for _, w := range textsearch.Document(p.Title) {
		if key := wordKey(w); !p.Untitled && !title[key] {
			title[key] = true
			if !hasDigit(w) && w != textsearch.Filler {
				named++
			}
		}
	}
	if named >= fewestTitle {
		s.title = titleKey(title)
	}
	for _, w := range textsearch.Document(p.Title, p.Summary) {
		key := wordKey(w)
		if w == textsearch.Filler || len(s.words) == mostWords {
			continue
		}
		if s.words = append(s.words, key); hasDigit(w) {
			s.figures = append(s.figures, key)
		}
	}
	s.words, s.figures = each(s.words), each(s.figures)
	return s
}

// each returns keys sorted, each once.
func each(keys []uint32) []uint32 {
	slices.Sort(keys)
	return slices.Clip(slices.Compact(keys))
}

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

func wordKey(word string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(word))
	return h.Sum32()
}

// titleKey returns a key of the words of a headline, in any order.
func titleKey(words map[uint32]bool) (key uint64) {
	for w := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
		key += h.Sum64()
	}
	return max(1, key)
}

// targetOf returns the key of the page of another site that a post points to, or 0. A post points to the page that it
// is about. A short post points to the only article that it links to; then linked is true.
func targetOf(p digest.Post, words int) (target int64, linked bool) {
	away := func(address string) bool {
		return p.SiteURL != "" && !feed.SameSite(address, p.SiteURL) && strings.Contains(place(address), "/")
	}
	if address := cmp.Or(p.LeadsTo, p.URL); away(address) {
		return feed.LinkKey(address), false
	}
	if words > pointerWords || len(p.Enclosures) > 0 || strings.Contains(p.Content, "<img ") {
		return 0, false
	}
	for _, address := range hrefs(p.Content) {
		switch key := feed.LinkKey(address); {
		case key == target || !away(address) || feed.SameSite(address, p.URL):
		case target != 0 || !isArticle(address):
			return 0, false
		default:
			target = key
		}
	}
	return target, true
}

// isArticle reports whether an address looks like an article: its path has a number, or several words. The paths of
// profiles, tags and pages such as /privacy have neither.
func isArticle(address string) bool {
	_, path, _ := strings.Cut(place(address), "/")
	return !strings.HasPrefix(path, "@") && (hasDigit(path) || strings.Count(path, "-")+strings.Count(path, "_") > 1)
}

// A teller is a post with its story.
type teller struct {
	*post
	feed digest.FeedID
}

// retold maps each post that tells the story of another post of the edition to that post.
func retold(all []teller) map[digest.PostID]digest.PostID {
	left := map[digest.PostID]digest.PostID{}
	byTarget := groupsOf(all, func(s *story) uint64 { return uint64(s.target) })
	byTitle := groupsOf(all, func(s *story) uint64 { return s.title })
	rare := sync.OnceValue(func() frequency { return frequencyOf(all) })
	points := func(t, o teller) bool { return t.pointsAs(o, rare) }
	tells := func(t, o teller) bool { return t.tellsAs(o, rare) }
	for _, t := range all { // pages that are in the edition themselves
		if key := t.story.page; key != 0 && key != t.story.target {
			tellOnce(left, t, byTarget[uint64(key)], points)
		}
	}
	for _, t := range all {
		if group := byTarget[uint64(t.story.target)]; len(group) > 1 && group[0] == t {
			tellOnce(left, slices.MinFunc(group, longest), group, points)
		}
		if group := byTitle[t.story.title]; len(group) > 1 && len(group) <= mostTellers && group[0] == t {
			tellOnce(left, slices.MinFunc(group, longest), group, tells)
		}
	}
	return left
}

// groupsOf returns the posts with each key, in their order. Posts without a key are in no group.
func groupsOf(all []teller, key func(*story) uint64) map[uint64][]teller {
	groups := make(map[uint64][]teller, len(all))
	for _, t := range all {
		if k := key(&t.story); k != 0 {
			groups[k] = append(groups[k], t)
		}
	}
	return groups
}

// longest compares two posts: the longer one comes first, or else the earlier one.
func longest(t, o teller) int { return cmp.Or(cmp.Compare(o.Words, t.Words), cmp.Compare(t.ID, o.ID)) }

// tellOnce leaves out the posts of a group that are the same as first, if they are of other feeds.
func tellOnce(left map[digest.PostID]digest.PostID, first teller, group []teller, same func(t, o teller) bool) {
	if _, is := left[first.ID]; is {
		return
	}
	for _, t := range group {
		if _, is := left[t.ID]; !is && t.feed != first.feed && t.isNear(first) && same(t, first) &&
			root(left, first.ID) != t.ID {
			left[t.ID] = first.ID
		}
	}
}

// isNear reports whether two posts are of the same two days and in the same known language.
func (t teller) isNear(o teller) bool {
	apart := time.Duration(t.at()-o.at()) * time.Second
	return apart.Abs() <= storySpan && t.Language != "" &&
		(t.Language == o.Language || baseOf(t.Language) == baseOf(o.Language))
}

func baseOf(language string) string {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	return base
}

// pointsAs reports whether a short post points to the other one, or to the same page. Links in texts may be
// incidental, so such posts also share rare words.
func (t teller) pointsAs(o teller, rare func() frequency) bool {
	if t.Words > pointerWords {
		return false
	}
	if !t.story.linked && !o.story.linked {
		return true
	}
	shared := shares(t.story.words, o.story.words, nil)
	return shared >= fewestPointer && shares(t.story.words, o.story.words, rare) >= fewestPointer
}

// shares counts the words that are in both sorted lists. If rare is set, it counts only rare words.
func shares(words, others []uint32, rare func() frequency) (n int) {
	var f frequency
	if rare != nil {
		f = rare()
	}
	for i, j := 0, 0; i < len(words) && j < len(others); {
		switch {
		case words[i] < others[j]:
			i++
		case words[i] > others[j]:
			j++
		default:
			if rare == nil || f.isRare(words[i]) {
				n++
			}
			i, j = i+1, j+1
		}
	}
	return n
}

// tellsAs reports whether two posts with the same headline have nearly the same words.
func (t teller) tellsAs(o teller, rare func() frequency) bool {
	shared := shares(t.story.words, o.story.words, nil)
	all := len(t.story.words) + len(o.story.words) - shared
	return shared >= fewestRare && shared*10 >= all*sharedTenths &&
		(holdsAll(t.story.figures, o.story.figures) || holdsAll(o.story.figures, t.story.figures)) &&
		shares(t.story.words, o.story.words, rare) >= fewestRare
}

// holdsAll reports whether sorted keys contain all others.
func holdsAll(keys, others []uint32) bool { return shares(keys, others, nil) == len(others) }

// A frequency counts the posts of an edition that have a word. Words may share a counter: then both seem less rare, and
// their posts stay.
type frequency struct {
	counts []uint16
	most   uint16 // posts that have a rare word
}

func frequencyOf(all []teller) frequency {
	n := 0
	for _, t := range all {
		n += len(t.story.words)
	}
	f := frequency{make([]uint16, 1<<bits.Len(uint(4*n))),
		uint16(min(max(rareIn, len(all)/rareAmong), math.MaxUint16/2))}
	for _, t := range all {
		for _, w := range t.story.words {
			if at := f.at(w); *at <= f.most {
				*at++
			}
		}
	}
	return f
}

func (f frequency) at(word uint32) *uint16 { return &f.counts[int(word)&(len(f.counts)-1)] }

func (f frequency) isRare(word uint32) bool { return *f.at(word) <= f.most }
