package store

import (
	"context"
	"time"

	"digest"
)

// A MailQueue is the mail that is on its way, and what became of the rest, for
// the operator.
type MailQueue struct {
	Counts map[digest.EditionState]int // of all editions

	// The newest of each first, as many as were asked for.
	Waiting     []QueuedEdition // to be sent, or on their way; those that were tried before come first
	Unconfirmed []QueuedEdition // in doubt twice
	Failed      []QueuedEdition
	Expired     []QueuedEdition
}

// A QueuedEdition is an edition with the address that it goes to.
type QueuedEdition struct {
	digest.Edition
	Email string
}

// MailQueue gives the mail that is on its way at now, and what became of the
// rest, limit of each kind at most.
func (s *Store) MailQueue(ctx context.Context, now time.Time, limit int) (MailQueue, error) {
	return MailQueue{Counts: make(map[digest.EditionState]int)}, nil
}
