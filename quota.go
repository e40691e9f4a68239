package digest

import "time"

// A QuotaUse is how much was stored of a feed on the last day, in UTC, on which
// any of its posts was.
type QuotaUse struct {
	QuotaDay     time.Time // when that day began
	QuotaBytes   int64
	PostsWaiting int // posts of its document that are not stored, because that was enough
}

// UsedOn gives the bytes that were stored on the day of an instant.
func (u QuotaUse) UsedOn(now time.Time) int64 {
	if !u.QuotaDay.Equal(DayOf(now)) {
		return 0
	}
	return u.QuotaBytes
}

// DayOf gives the beginning of the day, in UTC, for which quotas count at an instant.
func DayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// An Intake is what a poll wants stored of its feed.
type Intake struct {
	Used  int64 // bytes that were stored of the feed today
	Posts []IntakePost
	Body  int64 // bytes by which the stored document grows; 0: not at all

	// Accounts is what was stored today on account of each reader of the feed. None:
	// it has many, or it is not known.
	Accounts []int64
}

// An IntakePost is a new post, or a new text of one that is stored.
type IntakePost struct {
	Bytes     int64 // all of it
	Bare      int64 // of a post that is shown to nobody: without its content; else 0
	Edit      bool
	Published time.Time
}

// A Fate is what becomes of a post that a poll has brought.
type Fate int

// The fates.
const (
	PostWaits  Fate = iota // nothing is stored of it
	PostBare               // all but its content and its files
	PostStored             // all of it
)

// An Admission is what is stored of an Intake.
type Admission struct {
	Posts []Fate // of each, in their order
	Body  bool
	Bytes int64 // of the posts that are stored
	Share int64 // of these and of the document, on account of each reader; of all together, where they are not known
}
