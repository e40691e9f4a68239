// Package edition puts together what one reader's edition holds: it reads the
// posts of sealed editions from the store, groups them by site, makes the
// signed links, and hands the page to render.
package edition

import (
	"context"

	"digest"
	"digest/render"
)

// Store is what a Builder reads. All methods only read.
type Store interface {
	// EditionPosts gives the posts of sealed editions by the edition's key, in
	// any order. An edition without posts may be missing from the map.
	EditionPosts(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.PostRef, error)
	// WaitingPosts gives what the digest's next midnight would bring as things stand.
	WaitingPosts(ctx context.Context, id digest.DigestID) ([]digest.PostRef, error)
	// Posts gives posts by key, in any order; those that no longer exist are left out.
	Posts(ctx context.Context, ids []digest.PostID) ([]digest.Post, error)
	// Sources gives feeds by key, in any order; those that no longer exist are left out.
	Sources(ctx context.Context, ids []digest.FeedID) ([]digest.Source, error)
	// OwnTitles gives the titles that readers gave their subscriptions themselves;
	// subscriptions without one are left out.
	OwnTitles(ctx context.Context, ids []digest.DigestID) (map[digest.DigestID]map[digest.FeedID]string, error)
}

// Options is what a Builder is made of. Store, Signer and BaseURL are required.
type Options struct {
	Store      Store
	Signer     *digest.Signer
	BaseURL    string // of the web view, with or without a final slash
	CacheBytes int    // rendered posts kept for the next reader; default 64 MiB
}

// A Builder makes pages and mail of editions. It is safe for concurrent use.
type Builder struct {
	o Options
}

// New makes a Builder.
func New(o Options) *Builder { return &Builder{o: o} }

// Page gives the content of one sealed edition.
func (b *Builder) Page(ctx context.Context, d digest.Delivery) (render.Page, error) {
	return render.Page{}, nil
}

// Pages gives the content of sealed editions, in the order of ds, with one
// read of their posts for all of them.
func (b *Builder) Pages(ctx context.Context, ds []digest.Delivery) ([]render.Page, error) {
	return nil, nil
}

// Preview gives the page that d's next midnight would bring as things stand.
func (b *Builder) Preview(ctx context.Context, d digest.Digest, recipient string) (render.Page, error) {
	return render.Page{}, nil
}

// A Printed is an edition ready to be put in an envelope.
type Printed struct {
	Delivery       digest.Delivery
	Name           string // of the paper
	render.Message        // HTML and Text quoted-printable, as render.Encoded gives them
	UnsubscribeURL string
	WebURL         string
	HomeURL        string
}

// Print renders sealed editions, in the order of ds.
func (b *Builder) Print(ctx context.Context, ds []digest.Delivery) ([]Printed, error) {
	return nil, nil
}
