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

// pictures is a set of addresses.
type pictures map[string]bool

// add adds the pictures of an edition: those above excerpts, which decide the ranks of posts, and if they are shown
// also all pictures of full texts.
func (u pictures) add(from shared, refs []digest.PostRef, own map[digest.FeedID]digest.Subscription,
	layout digest.Layout, shown bool) {
	for _, ref := range refs {
		p := from.posts[ref.PostID]
		if p == nil {
			continue
		}
		for _, text := range [...]bool{false, true} {
			if !text || shown && cmp.Or(own[ref.FeedID].Display, layout) == digest.FullText {
				for _, address := range p.Pictures(text) {
					u[address] = true
				}
			}
		}
	}
}

func (b *Builder) sizes(ctx context.Context, of pictures) (map[string]digest.PictureSize, error) {
	if len(of) == 0 {
		return nil, nil
	}
	sizes, err := b.Store.PictureSizes(ctx, slices.Sorted(maps.Keys(of)))
	if err != nil {
		return nil, fmt.Errorf("reading the sizes of %d pictures: %w", len(of), err)
	}
	return sizes, nil
}

// pictureSizes returns the known facts about the pictures of editions.
func (b *Builder) pictureSizes(ctx context.Context, ds []digest.Delivery, refs map[digest.EditionID][]digest.PostRef,
	settings map[digest.DigestID]map[digest.FeedID]digest.Subscription, renderers []*render.Renderer,
	all map[*render.Renderer]shared, use use) (map[string]digest.PictureSize, error) {
	of := pictures{}
	for i, d := range ds {
		of.add(all[renderers[i]], refs[d.ID], settings[d.DigestID], d.Layout,
			use != inMail || d.Images == digest.ProxiedImages)
	}
	return b.sizes(ctx, of)
}
