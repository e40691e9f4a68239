package store

import (
	"time"

	"digest"
)

// A Polled is what one poll of one feed found.
type Polled struct {
	Feed  digest.Feed // the record as it must be stored, PollAt and all
	Was   digest.Feed // as it was claimed; what did not change since is not written. Zero: all is
	Token string      // as claimed; empty for a feed that EnsureFeed has just made

	// FirstRead says that the feed was never parsed before: of its posts only
	// those of the last 24 hours, or the newest, go to readers.
	FirstRead bool

	Posts  []digest.Post // new or changed ones, in document order; keys are not read
	Listed []string      // every identity in the document, in its order; empty if none was read

	// Windowed says that the document holds as much as is read of one, or more:
	// what lies before all that is stored has slid in, and is no news.
	Windowed bool

	HostFreeAt time.Time // when the feed's host may be asked again

	// ReadAt is where the document was found, in normal form. If that is the
	// address of another feed, the posts do not go to who takes that one too.
	ReadAt string

	Poll PollRecord // for the history; one without a time is not kept
	Body *Body      // the document, if it was read; nil: the stored one stays

	// Gap is when posts may have been lost, if nothing is known of what the
	// document lists. It is believed, and told to the feed's readers, only if
	// nothing of it is known under another identity either.
	Gap *Gap
}

// A RecordResult counts what Record did.
type RecordResult struct {
	Posts  int // new ones
	Hidden int // rows made for readers
	Stale  int // polls whose lease was no longer theirs: nothing of them was stored

	Refused int // polls that the database refused: nothing of them was stored but that
}
