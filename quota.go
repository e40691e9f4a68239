package digest

import "time"

// A QuotaUse counts what was stored of a feed on its last UTC day with stored posts.
type QuotaUse struct {
	QuotaDay     time.Time // beginning of that day
	QuotaBytes   int64
	PostsWaiting int // posts of its document that are over the quota and not stored
}

// UsedOn returns the bytes stored on the day of now.
func (u QuotaUse) UsedOn(now time.Time) int64 {
	if !u.QuotaDay.Equal(DayOf(now)) {
		return 0
	}
	return u.QuotaBytes
}

// DayOf returns the beginning of the UTC day for which quotas count.
func DayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// An Intake is what a poll wants to store for its feed.
type Intake struct {
	Used  int64 // bytes stored for the feed today
	Posts []IntakePost
	Body  int64 // bytes by which the stored document grows; 0: none

	// Accounts is what was stored today for each reader of the feed. It is empty if the feed has many readers or they
	// are unknown.
	Accounts []int64
}

// An IntakePost is a new post, or a new text of a stored post.
type IntakePost struct {
	Bytes     int64 // size of the whole post
	Bare      int64 // size without content, if no edition shows the post; 0 otherwise
	Edit      bool
	Published time.Time
}

// A Fate says how much of a post is stored.
type Fate int

const (
	PostWaits  Fate = iota // nothing
	PostBare               // all but its content and files
	PostStored             // everything
)

// An Admission is the part of an Intake that may be stored.
type Admission struct {
	Posts []Fate // of each post, in order
	Body  bool
	Bytes int64 // of the stored posts
	// bytes of the posts and the document that count for each reader, or for all together if they are unknown
	Share int64
}
