package store

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"digest"
)

// maxBody is the size of the longest document that is stored, in bytes.
const maxBody = 4 << 20

// A packer compresses and decompresses documents. It is large, so all documents share one.
type packer struct {
	once sync.Once
	to   *zstd.Encoder
	from *zstd.Decoder
	err  error
}

func (z *packer) ready() error {
	z.once.Do(func() {
		if z.to, z.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedFastest)); z.err != nil {
			return
		}
		z.from, z.err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
	})
	if z.err != nil {
		return fmt.Errorf("making a packer for documents: %w", z.err)
	}
	return nil
}

// Pack returns b with its compressed bytes instead of Bytes. It drops a document that is empty or longer than maxBody.
func (s Posts) Pack(b Body) (Body, error) {
	if err := s.packer.ready(); err != nil {
		return Body{}, err
	}
	if len(b.Bytes) > 0 && len(b.Bytes) <= maxBody {
		b.packed = slices.Clone(s.packer.to.EncodeAll(b.Bytes, nil)) // EncodeAll allocates more than it needs
	}
	b.Bytes = nil
	return b, nil
}

// pack compresses the documents of polls before the transaction, which other processes wait for.
func (s *database) pack(polls []Polled) ([]Polled, error) {
	if !slices.ContainsFunc(polls, func(p Polled) bool { return p.Body != nil }) {
		return polls, nil
	}
	packed := slices.Clone(polls)
	for i, p := range packed {
		if p.Body != nil && p.Body.packed == nil {
			body, err := Posts{s}.Pack(*p.Body)
			if err != nil {
				return nil, err
			}
			packed[i].Body = &body
		}
	}
	return packed, nil
}

// saveBodies replaces the stored documents of the feeds. It deletes the stored document if the new one is too long.
func (r *recording) saveBodies(ctx context.Context) error {
	var gone []digest.FeedID
	var v values
	for _, p := range r.polls {
		switch {
		case p.Body == nil:
		case len(p.Body.packed) == 0:
			gone = append(gone, p.Feed.ID)
		default:
			v.Row(p.Feed.ID, p.Body.ContentType, p.Body.URL, p.Body.packed)
		}
	}
	if len(gone) > 0 {
		if err := r.c.Run(ctx, `DELETE FROM bodies WHERE feed_id IN (`+list(gone)+`)`); err != nil {
			return err
		}
	}
	return r.c.RunRows(ctx, &v, `INSERT INTO bodies (feed_id, content_type, url, body) VALUES {rows}
		ON CONFLICT (feed_id) DO UPDATE SET content_type = excluded.content_type, url = excluded.url,
		body = excluded.body`)
}

// Body returns the last document of a feed, or false if none is stored.
func (s Posts) Body(ctx context.Context, id digest.FeedID) (Body, bool, error) {
	var b Body
	found, err := s.read().Find(ctx, &b, `SELECT content_type, url, body AS bytes FROM bodies WHERE feed_id = ?`, id)
	if found {
		err = s.packer.ready()
	}
	if found && err == nil {
		b.Bytes, err = s.packer.from.DecodeAll(b.Bytes, nil)
	}
	return b, found, failed("reading the stored document", err)
}

// A Body is a document as it was read, with its content codings decoded.
type Body struct {
	ContentType string
	URL         string
	Bytes       []byte

	packed []byte // compressed; nil if not stored or not compressed yet
}
