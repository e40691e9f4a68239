package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"digest"
)

// pictureKey returns the key of a picture's size, a hash of its address. Of two addresses with the same hash, one
// would get a wrong size.
func pictureKey(address string) int64 {
	sum := sha256.Sum256([]byte(address))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// LearnPictureSize stores the size of the picture at an address.
func (s Posts) LearnPictureSize(ctx context.Context, address string, size digest.PictureSize, now time.Time) error {
	return s.run(ctx, "storing the size of a picture",
		`INSERT INTO picture_sizes (address, width, height, learned_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (address) DO UPDATE SET width = excluded.width, height = excluded.height,
		learned_at = excluded.learned_at`,
		pictureKey(address), size.Width, size.Height, now)
}

// PictureSizes returns the known sizes of pictures by address.
func (s Editions) PictureSizes(ctx context.Context, addresses []string) (map[string]digest.PictureSize, error) {
	type row struct {
		Address int64
		digest.PictureSize
	}
	byKey := make(map[int64]string, len(addresses))
	for _, address := range addresses {
		byKey[pictureKey(address)] = address
	}
	c := s.read()
	rows, err := readRows[row](ctx, c, "reading the sizes of pictures",
		`SELECT address, width, height FROM picture_sizes WHERE address`+c.d.OneOf,
		each(addresses, pictureKey))
	sizes := make(map[string]digest.PictureSize, len(rows))
	for _, r := range rows {
		sizes[byKey[r.Address]] = r.PictureSize
	}
	return sizes, err
}
