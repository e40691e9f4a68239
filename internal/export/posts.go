package export

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/store"
)

// The batch sizes: posts with content, and editions or filtered posts without.
const (
	fewPosts = 10
	someRows = 50
)

type post struct {
	Edition   string     `json:"edition"` // its date
	SavedAt   *time.Time `json:"saved_at,omitempty"`
	Site      string     `json:"site"`
	SiteURL   string     `json:"site_url"`
	Title     string     `json:"title"`
	URL       string     `json:"url"`
	Author    string     `json:"author"`
	Language  string     `json:"language"`
	Published *time.Time `json:"published_at"`
	Found     time.Time  `json:"found_at"`
	Summary   string     `json:"summary"`
	HTML      string     `json:"html"`

	Files    []digest.Enclosure `json:"files,omitempty"`
	Comments string             `json:"comments,omitempty"`
}

func newPost(p digest.Post, feed digest.FeedLabel, edition digest.Date) post {
	return post{
		Edition: edition.String(), Site: feed.Title, SiteURL: feed.SiteURL, Title: p.Title, URL: p.URL,
		Author:   p.Author,
		Language: p.Language, Published: known(p.PublishedAt), Found: p.SeenAt.UTC(), Summary: p.Summary,
		HTML: p.Content, Files: p.Enclosures, Comments: p.Comments,
	}
}

func lines(w io.Writer) *json.Encoder {
	j := json.NewEncoder(w)
	j.SetEscapeHTML(false)
	return j
}

// writePosts writes each post once, with its own edition and not with one that carried it after a failed delivery.
func (e *Export) writePosts(ctx context.Context, w io.Writer) error {
	j := lines(w)
	for some := range slices.Chunk(e.editions, someRows) {
		refs, err := e.postsOf(ctx, some)
		if err != nil {
			return err
		}
		for _, edition := range some {
			own := slices.DeleteFunc(refs[edition.ID], func(r digest.PostRef) bool { return r.Carried })
			err := e.each(ctx, own, func(p digest.Post) error {
				return j.Encode(newPost(p, e.labels[p.FeedID], edition.LocalDate))
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// postsOf returns the posts of editions, and loads the labels of their feeds.
func (e *Export) postsOf(ctx context.Context, editions []digest.Edition) (map[digest.EditionID][]digest.PostRef,
	error) {
	deliveries := make([]digest.Delivery, len(editions))
	for i, x := range editions {
		deliveries[i] = digest.Delivery{Edition: x}
	}
	refs, err := e.store.Editions.EditionPosts(ctx, deliveries)
	if err != nil {
		return nil, err
	}
	var feeds []digest.FeedID
	for _, of := range refs {
		for _, r := range of {
			feeds = append(feeds, r.FeedID)
		}
	}
	return refs, e.readLabels(ctx, feeds)
}

func (e *Export) readLabels(ctx context.Context, feeds []digest.FeedID) error {
	slices.Sort(feeds)
	feeds = slices.DeleteFunc(slices.Compact(feeds), func(id digest.FeedID) bool {
		_, known := e.labels[id]
		return known
	})
	found, err := e.store.Editions.FeedLabels(ctx, feeds)
	if err != nil {
		return err
	}
	for _, label := range found {
		e.labels[label.FeedID] = label
	}
	for _, s := range e.subscriptions() {
		if label, ok := e.labels[s.FeedID]; ok {
			label.Title = titleOf(s)
			e.labels[s.FeedID] = label
		}
	}
	return nil
}

func (e *Export) each(ctx context.Context, refs []digest.PostRef, use func(digest.Post) error) error {
	for few := range slices.Chunk(refs, fewPosts) {
		ids := make([]digest.PostID, len(few))
		for i, r := range few {
			ids[i] = r.PostID
		}
		posts, err := e.store.Editions.Posts(ctx, ids)
		if err != nil {
			return err
		}
		slices.SortFunc(posts, func(a, b digest.Post) int {
			return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
		})
		for _, p := range posts {
			if err := use(bare(p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bare returns a post without name and password of a private feed. Older versions resolved links against the feed's
// address with them.
func bare(p digest.Post) digest.Post {
	for _, text := range []*string{&p.URL, &p.Comments, &p.ImageURL, &p.Title, &p.Summary, &p.Content} {
		*text = digest.WithoutCredentials(*text)
	}
	for i := range p.Enclosures {
		f := &p.Enclosures[i]
		for _, text := range []*string{&f.URL, &f.Chapters, &f.Transcript} {
			*text = digest.WithoutCredentials(*text)
		}
	}
	return p
}

// inSections sorts posts as an edition does: by title of the feed, then newest first.
func (e *Export) inSections(refs []digest.PostRef) []digest.PostRef {
	return slices.SortedFunc(slices.Values(refs), func(a, b digest.PostRef) int {
		return cmp.Or(
			strings.Compare(strings.ToLower(e.labels[a.FeedID].Title), strings.ToLower(e.labels[b.FeedID].Title)),
			cmp.Compare(a.FeedID, b.FeedID), cmp.Compare(b.PostID, a.PostID),
		)
	})
}

// eachSaved reads the saved posts with their content, last saved first.
func (e *Export) eachSaved(ctx context.Context, use func(store.SavedPost) error) error {
	var after store.SavedKey
	for {
		list, err := e.store.Posts.SavedPosts(ctx, e.user.ID, after, fewPosts)
		if err != nil || len(list) == 0 {
			return err
		}
		refs := make([]digest.PostRef, len(list))
		for i, s := range list {
			refs[i].PostID = s.ID
		}
		at := 0
		err = e.each(ctx, refs, func(p digest.Post) error {
			for list[at].ID != p.ID {
				at++
			}
			list[at].Post = p
			return use(list[at])
		})
		if err != nil {
			return err
		}
		after = list[len(list)-1].Key()
	}
}

func (e *Export) writeSaved(ctx context.Context, w io.Writer) error {
	j := lines(w)
	return e.eachSaved(ctx, func(s store.SavedPost) error {
		p := newPost(s.Post, s.Label, s.Edition)
		p.SavedAt = known(s.SavedAt)
		return j.Encode(p)
	})
}

// held is a filtered post in held.jsonl.
type held struct {
	Midnight time.Time         `json:"midnight"` // of the edition that would have had it
	Kind     digest.FilterKind `json:"kind"`
	Words    string            `json:"words"` // of the filter
	Site     string            `json:"site"`
	Title    string            `json:"title"`
	URL      string            `json:"url"`
	Summary  string            `json:"summary"`
}

// writeHeld writes the posts that were filtered up to now. Another process with a fast clock may already have filtered
// later ones.
func (e *Export) writeHeld(ctx context.Context, w io.Writer) error {
	j := lines(w)
	for before := e.now.Add(time.Second); ; {
		list, err := e.store.Subscriptions.HeldPosts(ctx, e.digest.ID, before, someRows)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, h := range list {
			p := bare(h.Post)
			x := held{h.DueAt.UTC(), h.Kind, h.Words, h.Label.Title, p.Title, p.URL, p.Summary}
			if err := j.Encode(x); err != nil {
				return err
			}
		}
		before = list[len(list)-1].DueAt
	}
}
