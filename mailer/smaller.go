package mailer

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"digest"
)

// If a server finds a message too large, it gets a smaller one: the renderer leaves posts out, and the web edition has
// all of them. The limit is the size that the server offers (SIZE, RFC 1870), or a quarter of the refused size.

// leastRoom is about the size of a message without posts, in bytes.
const leastRoom = 12_000

// sendSmaller sends a smaller message if the attempt failed for its size alone and before the final dot. After a refusal
// at the dot the edition is claimed again, and made smaller then.
func (r *run) sendSmaller(ctx context.Context, c *claimed, a Attempt) Attempt {
	refused := a.refusal()
	if refused == nil || a.Dotted || c.small || !refused.isTooLarge() || !r.makeSmaller(ctx, c, refused.limit(len(c.message))) {
		a.Small = c.small
		return a
	}
	a = r.attempt(ctx, *c)
	a.Small = true
	return a
}

// limit returns the largest size, in bytes, for a server that has refused a message of size bytes.
func (e *NotAcceptedError) limit(size int) int {
	if announced, ok := errors.AsType[*tooLargeError](e.Err); ok {
		return announced.largest
	}
	return size / 4
}

// makeSmaller renders, composes and signs an edition again, with at most limit bytes. It returns false, and changes
// nothing, if that is impossible.
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

// wasTooLarge reports whether the recorded reply to an edition says that its message is too large.
func wasTooLarge(recorded string) bool {
	code, text, _ := strings.Cut(recorded, " ")
	n, err := strconv.Atoi(code)
	if err != nil {
		return false
	}
	enhanced, text := cutEnhanced(n, text)
	return Reply{Code: n, Enhanced: enhanced, Text: text}.isTooLarge()
}
