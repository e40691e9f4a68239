package edition

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/textsearch"
	"digest/rank"
	"digest/render"
)

const (
	// mostPosts is the number of posts of one feed that an email shows or lists.
	mostPosts = 50
	// floodPosts is the number that it shows of a feed with more.
	floodPosts = 10
)

// leave moves most posts of very busy feeds to the web edition, and adds a note about them, so that one feed does not
// bury the others. A bound edition shows few posts of each feed anyway.
func leave(e *render.Edition, l *catalogue.Language) {
	if e.Bound {
		return
	}
	var left catalogue.List
	for i := range e.Sections {
		s := &e.Sections[i]
		n := len(s.Posts)
		switch {
		case s.Fold != nil:
			s.Beyond, s.Late, s.Rest = s.Beyond+n+len(s.Rest)-1, 0, nil
			s.Posts = s.Posts[:1:1]
		case n > mostPosts:
			s.Left = n - floodPosts
			s.Late = max(0, s.Late-s.Left)
			s.Posts = s.Posts[:floodPosts:floodPosts]
			s.Places = s.Places[:min(len(s.Places), floodPosts)]
			left = append(left, catalogue.Key("%d more from %s").With(s.Left, s.Title))
		}
	}
	if len(left) > 0 {
		e.Note = catalogue.Key("Only on the web: %s.").With(left).In(l)
	}
}

// daysOf returns the number of days of an edition.
func daysOf(d *digest.Delivery) int {
	first, last := d.Days()
	return first.Until(last) + 1
}

// floods reports whether a feed floods an edition with n posts. A digest's first edition has no usual number, and a
// bound edition shows few posts of each feed anyway.
func (f front) floods(feed digest.FeedID, d *digest.Delivery, n int) bool {
	key := historyOf(feed, d)
	return isRanked(d) && !d.PrevDueAt.IsZero() && d.BoundFrom.IsZero() &&
		rank.Floods(f.histories[key].FeedHistory, n, daysOf(d), time.Unix(key.before, 0))
}

// fold folds the section of a feed that floods the edition, unless the reader always wants its posts or has limited
// them. whole means that the page shows only this site, with its posts.
func (f front) fold(h *heading, d *digest.Delivery, own digest.Subscription, whole bool) {
	s := &h.section
	n := len(s.Posts) - s.Late
	if own.Extras&digest.Unfolded != 0 || own.Most > 0 || !f.floods(h.feed, d, n) {
		return
	}
	past := f.histories[historyOf(h.feed, d)]
	s.Fold = &render.Fold{Posts: n, Usual: past.Most, Days: daysOf(d), Changed: past.voice.differsFrom(s.Posts[:n])}
	if !whole {
		s.Display = digest.Headlines
	}
}

// A history is what a feed published before an edition, with its voice if the feed floods the edition.
type history struct {
	digest.FeedHistory
	openings []string // of its Titles, in their place
	voice    *voice
}

// listen adds the voices of feeds that may flood editions.
func (b *Builder) listen(ctx context.Context, f front, ds []digest.Delivery,
	refs map[digest.EditionID][]digest.PostRef) error {
	for i := range ds {
		counts := map[digest.FeedID]int{}
		for _, ref := range refs[ds[i].ID] {
			counts[ref.FeedID]++
		}
		for feed, n := range counts {
			key := historyOf(feed, &ds[i])
			if h := f.histories[key]; h.voice == nil && f.floods(feed, &ds[i], n) {
				posts, err := b.postsBefore(ctx, key)
				if err != nil {
					return err
				}
				h.voice = voiceOf(posts)
				f.histories[key] = h
				b.cache.putHistory(key, h)
			}
		}
	}
	return nil
}

func (b *Builder) postsBefore(ctx context.Context, key historyKey) ([]digest.Post, error) {
	ids, err := b.Store.PostsBefore(ctx, key.FeedID, time.Unix(key.before, 0), mostHeard)
	var posts []digest.Post
	if err == nil {
		posts, err = b.Store.Posts(ctx, ids)
	}
	if err != nil {
		err = fmt.Errorf("reading earlier posts of feed %d: %w", key.FeedID, err)
	}
	return posts, err
}

const (
	mostHeard     = 30  // earlier posts that make a voice
	fewestHeard   = 5   // posts whose authors or languages are compared
	heardWords    = 120 // words of a text whose common words are compared
	commonWords   = 12  // of the earlier text
	amongWords    = 40  // common words of the other text, among which these are
	fewestCommon  = 2   // more of them are a sign of the same language
	mostAuthors   = 2   // of a site whose owner is known by them
	authorLetters = 24
)

// A voice is how some posts of a feed sound: who writes them, and in which words.
type voice struct {
	authors  []string // empty if a post has none, or if they are many
	language string   // of all posts, as they state it; empty if they differ, or if one has none
	words    []string // the common ones, the most frequent first; empty if the text is short
}

func voiceOf(posts []digest.Post) *voice {
	v, counts, all := &voice{}, map[string]int{}, 0
	authors, languages := map[string]int{}, map[string]int{}
	for _, p := range posts {
		authors[authorKey(p.Author)]++
		base, _, _ := strings.Cut(strings.ToLower(p.Language), "-")
		languages[base]++
		for _, word := range textsearch.Document(p.Title, p.Summary) {
			if word != textsearch.Filler && strings.Trim(word, "0123456789") != "" {
				counts[word]++
				all++
			}
		}
	}
	if len(posts) >= fewestHeard && authors[""] == 0 && len(authors) <= mostAuthors {
		v.authors = mostFrequent(authors)
	}
	if stated := mostFrequent(languages); len(posts) >= fewestHeard && len(stated) == 1 {
		v.language = stated[0]
	}
	if v.words = mostFrequent(counts); all < heardWords {
		v.words = nil
	}
	v.words = v.words[:min(len(v.words), amongWords)]
	return v
}

// authorKey returns the beginning of a name, because render shortens long ones.
func authorKey(name string) string {
	letters := []rune(strings.ToLower(strings.Join(strings.Fields(name), " ")))
	return string(letters[:min(len(letters), authorLetters)])
}

// mostFrequent returns the keys of counts, the most frequent first.
func mostFrequent(counts map[string]int) (keys []string) {
	for key := range counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	return keys
}

// differsFrom reports whether new posts of the feed are by other authors than the earlier ones, or in another language.
func (v *voice) differsFrom(posts []*render.Post) bool {
	if v == nil {
		return false
	}
	var heard []digest.Post
	for _, p := range posts {
		heard = append(heard, digest.Post{Title: p.Title, Summary: p.Excerpt, Author: p.Author, Language: p.Language})
	}
	now := voiceOf(heard)
	return v.language != "" && now.language != "" && v.language != now.language ||
		len(v.authors) > 0 && len(now.authors) > 0 && inBoth(v.authors, now.authors) == 0 ||
		v.speaksOtherwise(now) && now.speaksOtherwise(v)
}

// speaksOtherwise reports whether hardly any of the most common words, such as "the" and "of", are common in the other
// voice too.
func (v *voice) speaksOtherwise(o *voice) bool {
	return len(v.words) >= commonWords && len(o.words) >= commonWords &&
		inBoth(v.words[:commonWords], o.words) <= fewestCommon
}

// inBoth counts the words that are in both lists.
func inBoth(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}
