package edition

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"digest"
	"digest/render"
)

// unsized is the set of addresses of pictures whose size the page does not state.
type unsized map[string]bool

// add adds the pictures of an edition: all pictures of full texts, and the pictures above excerpts.
func (u unsized) add(from shared, refs []digest.PostRef, own map[digest.FeedID]digest.Subscription,
	layout digest.Layout) {
	for _, ref := range refs {
		p := from.posts[ref.PostID]
		if p == nil {
			continue
		}
		for _, text := range [...]bool{false, true} {
			if !text || cmp.Or(own[ref.FeedID].Display, layout) == digest.FullText {
				for _, address := range p.Unsized(text) {
					u[address] = true
				}
			}
		}
	}
}

func (b *Builder) sizes(ctx context.Context, of unsized) (map[string]digest.PictureSize, error) {
	if len(of) == 0 {
		return nil, nil
	}
	sizes, err := b.Store.PictureSizes(ctx, slices.Sorted(maps.Keys(of)))
	if err != nil {
		return nil, fmt.Errorf("reading the sizes of %d pictures: %w", len(of), err)
	}
	return sizes, nil
}

// pictureSizes returns the stored sizes of the pictures that editions show. Emails without proxied pictures need none.
func (b *Builder) pictureSizes(ctx context.Context, ds []digest.Delivery, refs map[digest.EditionID][]digest.PostRef,
	settings map[digest.DigestID]map[digest.FeedID]digest.Subscription, renderers []*render.Renderer,
	all map[*render.Renderer]shared, use use) (map[string]digest.PictureSize, error) {
	of := unsized{}
	for i, d := range ds {
		if use != inMail || d.Images == digest.ProxiedImages {
			of.add(all[renderers[i]], refs[d.ID], settings[d.DigestID], d.Layout)
		}
	}
	return b.sizes(ctx, of)
}
