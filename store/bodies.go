package store

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"digest"
)

// maxBody is the longest document that is stored, in bytes. Of one that is longer
// nothing is.
const maxBody = 4 << 20

// A packer compresses documents. What it is made of is big, and serves all of them.
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

// Pack gives a document as it is stored, without that as which it came.
func (s *Store) Pack(b Body) (Body, error) {
	if err := s.packer.ready(); err != nil {
		return Body{}, err
	}
	if len(b.Bytes) > 0 && len(b.Bytes) <= maxBody {
		b.packed = slices.Clone(s.packer.to.EncodeAll(b.Bytes, nil)) // the room for it is larger
	}
	b.Bytes = nil
	return b, nil
}

// pack packs the documents of polls, before the transaction that others wait for.
func (s *Store) pack(polls []Polled) ([]Polled, error) {
	if !slices.ContainsFunc(polls, func(p Polled) bool { return p.Body != nil }) {
		return polls, nil
	}
	packed := slices.Clone(polls)
	for i, p := range packed {
		if p.Body != nil && p.Body.packed == nil {
			body, err := s.Pack(*p.Body)
			if err != nil {
				return nil, err
			}
			packed[i].Body = &body
		}
	}
	return packed, nil
}

// saveBodies stores the documents that were read, each in place of the feed's
// last one. One that is too long leaves none: what is stored is the last.
func (r *recording) saveBodies(ctx context.Context) error {
	var gone []digest.FeedID
	var v values
	for _, p := range r.polls {
		switch {
		case p.Body == nil:
		case len(p.Body.packed) == 0:
			gone = append(gone, p.Feed.ID)
		default:
			v.row(p.Feed.ID, p.Body.ContentType, p.Body.URL, p.Body.packed)
		}
	}
	if len(gone) > 0 {
		if _, err := r.c.exec(ctx, `DELETE FROM bodies WHERE feed_id IN (`+list(gone)+`)`); err != nil {
			return err
		}
	}
	return r.c.runRows(ctx, &v, `INSERT INTO bodies (feed_id, content_type, url, body) VALUES {rows}
		ON CONFLICT (feed_id) DO UPDATE SET content_type = excluded.content_type, url = excluded.url, body = excluded.body`)
}

// Body gives the last document of a feed; false: none is stored.
func (s *Store) Body(ctx context.Context, id digest.FeedID) (Body, bool, error) {
	var b Body
	found, err := s.read().find(ctx, &b, `SELECT content_type, url, body AS bytes FROM bodies WHERE feed_id = ?`, id)
	if found {
		err = s.packer.ready()
	}
	if found && err == nil {
		b.Bytes, err = s.packer.from.DecodeAll(b.Bytes, nil)
	}
	return b, found, failed("reading the stored document", err)
}

// A Body is a document as it was read, codings undone.
type Body struct {
	ContentType string
	URL         string // where it was found
	Bytes       []byte

	packed []byte // as it is stored; nil of one that is not, and of one that is still to be packed
}
