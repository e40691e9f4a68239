package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
)

// Most polls find nothing new, and differ in little but their time. They gather in the
// times of their feed (feed_times.unchanged), which are written anyway, and once
// there are packedPolls of them they become one row of the history (polls.unchanged).
// Nothing of them is lost: a line says of each how many seconds after the one before it was,
// how many milliseconds it took and how many bytes came; status, requests and note
// follow where they are not those of the line before.

const (
	// packedPolls is how many polls share a row of the history.
	packedPolls = 16
	// outcomeUnchanged is the outcome of the polls that do.
	outcomeUnchanged = "unchanged"
)

// isPackable reports whether a poll may share a row.
func (r PollRecord) isPackable() bool {
	return r.Outcome == outcomeUnchanged && !strings.Contains(r.Note, "\n") && at(r.At) > 0
}

// packPolls writes polls, as unpackPolls reads them.
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

// unpackPolls reads polls as far as they can be read.
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
		last.At = (at(last.At) + instant(numbers[0])).time()
		last.Took, last.Bytes = time.Duration(numbers[1])*time.Millisecond, numbers[2]
		if len(cells) == 6 {
			last.Status, last.Requests, last.Note = int(numbers[3]), int(numbers[4]), cells[5]
		}
		polls = append(polls, last)
	}
	return polls
}

// pack puts a poll among those of its feed that gather, and says whether the history
// needs no row for it. What it gives besides are those that do need one together: there
// are enough of them, or their feed is moving, and they go along.
func (p *polled) pack() (packed bool, full []PollRecord) {
	p.unchanged = p.stored.Unchanged
	gathered := unpackPolls(p.unchanged)
	if packed = p.Poll.isPackable(); packed &&
		!slices.ContainsFunc(gathered, func(r PollRecord) bool { return at(r.At) == at(p.Poll.At) }) {
		p.Poll.Note = clean(p.Poll.Note)
		gathered = append(gathered, p.Poll)
	}
	if len(gathered) < packedPolls && p.Feed.URL == p.stored.URL {
		p.unchanged = packPolls(gathered)
		return packed, nil
	}
	p.unchanged = ""
	return packed, gathered
}

// poll adds a poll to the rows of a history, with those that share its row.
func (v *values) poll(feed digest.FeedID, r PollRecord, packed string) {
	v.row(feed, at(r.At), r.Outcome, r.Status, r.Requests, r.Bytes, r.Took.Milliseconds(), r.Note, packed)
}
