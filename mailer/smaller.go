package mailer

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"digest"
)

// A server that finds a message too large gets it once more, smaller: the renderer leaves out what there is no room for,
// and the web edition has all of it. The limit is what the server offers (SIZE, RFC 1870), or else a quarter of what it
// refused.

// leastRoom is about what a message takes that has nothing but links to its edition, in bytes.
const leastRoom = 12_000

// sendSmaller sends an edition again, smaller, if the attempt failed for its size alone and the server has not seen the end of
// it. One that has been refused at its dot is made smaller when it is claimed again.
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

// limit is how large a message may be for a server that has refused one of so many bytes.
func (e *NotAcceptedError) limit(size int) int {
	if announced, ok := errors.AsType[*tooLargeError](e.Err); ok {
		return announced.largest
	}
	return size / 4
}

// makeSmaller renders, composes and signs an edition anew, so that it has no more bytes than limit; false if that cannot
// be done, and nothing has changed then.
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

// wasTooLarge reports whether the reply that is recorded of an edition says that its message is too large.
func wasTooLarge(recorded string) bool {
	code, text, _ := strings.Cut(recorded, " ")
	n, err := strconv.Atoi(code)
	if err != nil {
		return false
	}
	enhanced, text := cutEnhanced(n, text)
	return Reply{Code: n, Enhanced: enhanced, Text: text}.isTooLarge()
}
