package edition

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"digest"
	"digest/render"
)

// pictureSizes gives what was learned of the pictures above excerpts whose pages tell no size; only of those that some of
// the editions show.
func (b *Builder) pictureSizes(ctx context.Context, ds []digest.Delivery, refs map[digest.EditionID][]digest.PostRef, renderers []*render.Renderer,
	all map[*render.Renderer]shared, use use) (map[string]digest.PictureSize, error) {
	unknown := map[string]bool{}
	for i, d := range ds {
		if use == inMail && d.Images != digest.ProxiedImages {
			continue
		}
		for _, ref := range refs[d.ID] {
			if p := all[renderers[i]].posts[ref.PostID]; p != nil && p.Picture.Source != "" {
				unknown[p.Picture.Source] = true
			}
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	sizes, err := b.Store.PictureSizes(ctx, slices.Sorted(maps.Keys(unknown)))
	if err != nil {
		return nil, fmt.Errorf("reading the sizes of %d pictures: %w", len(unknown), err)
	}
	return sizes, nil
}
