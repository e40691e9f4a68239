package mailer

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"digest"
)

// If a server rejects a message as too large, the mailer sends a smaller one. The renderer leaves posts out, and
// the web edition has all of them. The limit is the size that the server announces (SIZE, RFC 1870), or a quarter
// of the rejected size.

// leastRoom is the approximate size in bytes of a message without posts.
const leastRoom = 12_000

// sendSmaller sends a smaller message if the attempt failed only for its size, before the final dot. After a
// rejection at the dot the next claim makes the edition smaller.
func (r *run) sendSmaller(ctx context.Context, c *claimed, a Attempt) Attempt {
	refused := a.refusal()
	if refused == nil || a.Dotted || c.small || !refused.isTooLarge() ||
		!r.makeSmaller(ctx, c, refused.limit(len(c.message))) {
		a.Small = c.small
		return a
	}
	a = r.attempt(ctx, *c)
	a.Small = true
	return a
}

// limit returns the largest size, in bytes, for a server that has rejected a message of size bytes.
func (e *NotAcceptedError) limit(size int) int {
	if announced, ok := errors.AsType[*tooLargeError](e.Err); ok {
		return announced.largest
	}
	return size / 4
}

// makeSmaller renders, composes and signs an edition again, in at most limit bytes. If it cannot, it returns false
// and changes nothing.
func (r *run) makeSmaller(ctx context.Context, c *claimed, limit int) bool {
	for room := limit; room >= min(leastRoom, limit)/4 && ctx.Err() == nil; room = room * 2 / 3 {
		small := *c
		small.Room, small.small = room, true
		letters, err := r.Renderer.Render(ctx, []digest.Delivery{small.Delivery})
		if err != nil || len(letters) != 1 {
			return false
		}
		small.letter = r.complete(letters[0], small.Delivery, r.clock())
		signer := r.signerOf(context.WithoutCancel(ctx), &small.letter)
		if small.message, err = signedMessage(small.letter, signer); err != nil {
			return false
		}
		if len(small.message) <= limit {
			*c = small
			return true
		}
	}
	return false
}

func wasTooLarge(recorded string) bool {
	code, text, _ := strings.Cut(recorded, " ")
	n, err := strconv.Atoi(code)
	if err != nil {
		return false
	}
	enhanced, text := cutEnhanced(n, text)
	return Reply{Code: n, Enhanced: enhanced, Text: text}.isTooLarge()
}
