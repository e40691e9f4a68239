package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/store/db"
)

// Most polls find nothing new, and differ in little but their time. They are collected in feed_times.unchanged, in a
// row that every poll writes anyway. packedPolls of them become one row of the history (polls.unchanged). The row
// loses nothing: the line of a poll has the seconds since the poll before, the milliseconds that it took and its
// bytes. Status, requests and note follow if they differ from the line before.

const (
	// packedPolls is how many polls share a row of the history.
	packedPolls = 16
	// outcomeUnchanged is the outcome of polls that share a row.
	outcomeUnchanged = "unchanged"
)

func (r PollRecord) isPackable() bool {
	return r.Outcome == outcomeUnchanged && !strings.Contains(r.Note, "\n") && at(r.At) > 0
}

// packPolls encodes polls for unpackPolls.
func packPolls(polls []PollRecord) string {
	var b strings.Builder
	var last PollRecord
	for _, p := range polls {
		fmt.Fprintf(&b, "%d %d %d", at(p.At)-at(last.At), p.Took.Milliseconds(), p.Bytes)
		if p.Status != last.Status || p.Requests != last.Requests || p.Note != last.Note {
			fmt.Fprintf(&b, " %d %d %s", p.Status, p.Requests, p.Note)
		}
		b.WriteByte('\n')
		last = p
	}
	return b.String()
}

// unpackPolls decodes polls, up to the first invalid line.
func unpackPolls(packed string) (polls []PollRecord) {
	last := PollRecord{Outcome: outcomeUnchanged}
	for line := range strings.Lines(packed) {
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
		if len(cells) != 3 && len(cells) != 6 {
			return polls
		}
		numbers := make([]int64, min(len(cells), 5))
		for i := range numbers {
			n, err := strconv.ParseInt(cells[i], 10, 64)
			if err != nil {
				return polls
			}
			numbers[i] = n
		}
		last.At = (at(last.At) + instant(numbers[0])).Time()
		last.Took, last.Bytes = time.Duration(numbers[1])*time.Millisecond, numbers[2]
		if len(cells) == 6 {
			last.Status, last.Requests, last.Note = int(numbers[3]), int(numbers[4]), cells[5]
		}
		polls = append(polls, last)
	}
	return polls
}

// pack adds a poll to the collected polls of its feed. packed reports whether it needs no row of its own. full holds
// the collected polls if they now become a row, because there are packedPolls of them, or because the feed is moving.
func (p *polled) pack() (packed bool, full []PollRecord) {
	p.unchanged = p.stored.Unchanged
	gathered := unpackPolls(p.unchanged)
	if packed = p.Poll.isPackable(); packed &&
		!slices.ContainsFunc(gathered, func(r PollRecord) bool { return at(r.At) == at(p.Poll.At) }) {
		p.Poll.Note = db.Clean(p.Poll.Note)
		gathered = append(gathered, p.Poll)
	}
	if len(gathered) < packedPolls && p.Feed.URL == p.stored.URL {
		p.unchanged = packPolls(gathered)
		return packed, nil
	}
	p.unchanged = ""
	return packed, gathered
}

// addPoll adds the row of a poll, or of polls that are packed into it.
func addPoll(v *values, feed digest.FeedID, r PollRecord, packed string) {
	v.Row(feed, r.At, r.Outcome, r.Status, r.Requests, r.Bytes, r.Took.Milliseconds(), r.Note, packed)
}
