package hourly

import (
	"fmt"

	"digest"
	"digest/poller"
)

// retire ends the feeds that are gone for good: their readers are unsubscribed
// and told in their next edition. A whole host that says so is only broken.
func (j *Job) retire() error {
	cases, err := j.Store.SaidGone(j.Hard, j.Now())
	if err != nil {
		return fmt.Errorf("looking for feeds that are gone: %w", err)
	}
	var gone []digest.FeedID
	for _, c := range cases {
		if poller.Gone(c.Feed, c.Siblings, j.Now()) {
			gone = append(gone, c.Feed.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	told, err := j.Store.Retire(j.Hard, j.Now(), gone)
	if err != nil {
		return fmt.Errorf("ending feeds that are gone: %w", err)
	}
	j.Log.Info("gone", "feeds", len(gone), "readers", told)
	return nil
}

// release seals the editions of due digests that wait for no feed any more.
func (j *Job) release() (editions int, err error) {
	editions, err = j.Store.Release(j.Hard, j.Now(), j.Spread.Deadline)
	if err != nil {
		return 0, fmt.Errorf("releasing editions: %w", err)
	}
	if editions > 0 {
		j.Log.Info("released", "editions", editions)
		j.report(Event{Kind: EventReleased, Digests: editions})
	}
	return editions, nil
}
