package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"html"
	"maps"
	"slices"
	"time"

	"digest"
)

// A row of the table pictures has one of three states. It waits for its first request (url and no failures), it loaded
// (no url), or it did not load (failures).

// pictureKey returns the key of a picture, a hash of its address. Of two addresses with the same hash, one would get a
// wrong size.
func pictureKey(address string) int64 {
	sum := sha256.Sum256([]byte(address))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// picturesAPoll is the number of posts of a poll whose pictures are queued. Editions show further posts of a site as
// lines, without pictures.
const picturesAPoll = 3

// queuePictures queues the pictures of the newest posts that go to readers, one for each post.
func queuePictures(ctx context.Context, c conn, added []*incoming, now instant) error {
	var newest []*incoming
	for _, p := range added {
		if p.shownAt != 0 && p.ImageURL != "" {
			newest = append(newest, p)
		}
	}
	slices.SortStableFunc(newest, func(a, b *incoming) int { return b.PublishedAt.Compare(a.PublishedAt) })
	queued, urls := map[*polled]int{}, map[int64]string{}
	for _, p := range newest {
		if queued[p.poll]++; queued[p.poll] <= picturesAPoll {
			urls[pictureKey(p.ImageURL)] = p.ImageURL
		}
	}
	var v values
	for _, key := range slices.Sorted(maps.Keys(urls)) { // in one order, so that no two workers wait for each other
		v.Row(key, urls[key], now)
	}
	return c.RunRows(ctx, &v, `WITH v (address, url, at) AS (VALUES {rows})
		INSERT INTO pictures (address, url, width, height, next_at, learned_at)
		SELECT v.address, v.url, 0, 0, v.at, v.at FROM v WHERE TRUE ON CONFLICT (address) DO NOTHING`)
}

// A QueuedPicture is a picture to request.
type QueuedPicture struct {
	URL      string
	Failures int // the latest requests that failed
}

// ClaimPictures returns up to n pictures whose request is due: first pictures that were never requested, then the
// latest. They are due again at retry. It omits pictures of posts that have waited for longer than patience.
func (s Posts) ClaimPictures(ctx context.Context, now, retry time.Time, patience time.Duration, n int) (
	due []QueuedPicture, err error) {
	err = s.change(ctx, "claiming pictures", func(c conn) error {
		due = nil
		err := c.All(ctx, &due, `SELECT p.url, p.failures FROM pictures p WHERE p.next_at > 0 AND p.next_at <= ?
			AND (p.failures > 0 OR p.learned_at > ?)
			ORDER BY CASE WHEN p.failures > 0 THEN 1 ELSE 0 END, p.next_at DESC, p.address LIMIT ?`+c.d.SkipRows("p"),
			now, now.Add(-patience), n)
		if err != nil || len(due) == 0 {
			return err
		}
		return c.Run(ctx, `UPDATE pictures SET next_at = ? WHERE address`+c.d.OneOf, retry,
			each(due, func(p QueuedPicture) int64 { return pictureKey(p.URL) }))
	})
	return due, err
}

// LearnPicture stores that the picture at an address loads. The size may be unknown.
func (s Posts) LearnPicture(ctx context.Context, address string, size digest.PictureSize, now time.Time) error {
	return s.run(ctx, "storing the size of a picture",
		`INSERT INTO pictures (address, width, height, learned_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (address) DO UPDATE SET width = excluded.width, height = excluded.height,
		learned_at = excluded.learned_at, url = '', failures = 0, next_at = 0`,
		pictureKey(address), size.Width, size.Height, now)
}

// PictureFailed stores that a picture did not load, for that many requests in a row. It is requested again at the given
// time, or never if the time is zero. If that many failures are stored already, it changes nothing.
func (s Posts) PictureFailed(ctx context.Context, address string, failures int, again, now time.Time) error {
	return s.run(ctx, "storing that a picture does not load",
		`INSERT INTO pictures (address, url, width, height, failures, next_at, learned_at) VALUES (?, ?, 0, 0, ?, ?, ?)
		ON CONFLICT (address) DO UPDATE SET url = excluded.url, failures = excluded.failures,
		next_at = excluded.next_at, learned_at = excluded.learned_at WHERE pictures.failures < excluded.failures`,
		pictureKey(address), address, failures, again, now)
}

// PictureSizes returns the known facts about pictures by address.
func (s Editions) PictureSizes(ctx context.Context, addresses []string) (map[string]digest.PictureSize, error) {
	type row struct {
		Address  int64
		Failures int
		digest.PictureSize
	}
	byKey := make(map[int64]string, len(addresses))
	for _, address := range addresses {
		byKey[pictureKey(address)] = address
	}
	c := s.read()
	rows, err := readRows[row](ctx, c, "reading the sizes of pictures",
		`SELECT address, width, height, failures FROM pictures WHERE (failures > 0 OR url = '') AND address`+c.d.OneOf,
		each(addresses, pictureKey))
	sizes := make(map[string]digest.PictureSize, len(rows))
	for _, r := range rows {
		r.Dead = r.Failures > 0
		sizes[byKey[r.Address]] = r.PictureSize
	}
	return sizes, err
}

// HomePicture returns the addresses of feeds at a host that were read in an allowed network and that published a
// picture.
func (s Feeds) HomePicture(ctx context.Context, host, picture string) ([]string, error) {
	return readRows[string](ctx, s.read(), "finding the feed of a picture", `SELECT f.url FROM feeds f
		WHERE f.host = ? AND f.public_only = 0 AND EXISTS (SELECT 1 FROM posts p WHERE p.feed_id = f.id
		AND (p.image_url = ? OR replace(p.content, ?, '') <> p.content)) ORDER BY f.id`,
		host, picture, html.EscapeString(picture))
}
