package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/picture"
	"digest/poller"
	"digest/store"
)

// Editions show only pictures that load. So this process requests the first bytes of the pictures of new posts, while
// the polls of their midnight are still spread. Releases never wait for it.
const (
	picturesNap     = 5 * time.Second  // while many documents wait to be stored
	picturesAtOnce  = 4                // sites
	picturesAClaim  = 50               // pictures
	picturesPeriod  = 10 * time.Minute // the limits below apply to it
	picturesASite   = 10
	picturesAPeriod = 200
	picturePatience = 48 * time.Hour // a picture that no process could request is then left out of the queue
	picturePause    = time.Second    // between two requests to a site

	// A Tick does nothing else during this time.
	picturesBeforeRelease = 5 * time.Second
	picturesATick         = time.Minute
)

// lookedAt counts the pictures that this process requested in a period.
type lookedAt struct {
	since time.Time
	all   int
	sites map[string]int
}

// begin starts a new period if the last one is over, and returns the number of pictures that may be requested.
func (l *lookedAt) begin(now time.Time) int {
	if age := now.Sub(l.since); age < 0 || age >= picturesPeriod {
		*l = lookedAt{since: now, sites: map[string]int{}}
	}
	return picturesAPeriod - l.all
}

// bySite groups pictures by the registrable domain of their host, and drops those beyond the limit of a site. They are
// due again after the period.
func (l *lookedAt) bySite(due []store.QueuedPicture) map[string][]store.QueuedPicture {
	sites := map[string][]store.QueuedPicture{}
	for _, p := range due {
		site := feed.Domain(feed.Host(p.URL))
		if l.sites[site] < picturesASite {
			l.sites[site]++
			l.all++
			sites[site] = append(sites[site], p)
		}
	}
	return sites
}

// lookAtPicturesOnce requests the beginnings of due pictures until none is left or the limits are reached. It stops
// while many documents wait to be stored. New posts wake it earlier than the time that it returns.
func (j *Job) lookAtPicturesOnce(ctx context.Context) (time.Duration, error) {
	for ctx.Err() == nil && !j.fenced.Load() {
		if j.Poller.Full() {
			return min(picturesNap, j.Nap), nil
		}
		now := j.Now()
		room := j.looked.begin(now)
		if room <= 0 {
			break
		}
		due, err := j.Store.Posts.ClaimPictures(j.Hard, now, now.Add(picturesPeriod), picturePatience,
			min(room, picturesAClaim))
		if err != nil || len(due) == 0 {
			return min(picturesPeriod, j.Nap), err
		}
		j.lookAtSites(ctx, j.looked.bySite(due))
	}
	return min(picturesPeriod, j.Nap), nil
}

// lookAtPicturesFor does lookAtPicturesOnce for at most a time.
func (j *Job) lookAtPicturesFor(ctx context.Context, most time.Duration) error {
	ctx, end := context.WithTimeout(ctx, most)
	defer end()
	_, err := j.lookAtPicturesOnce(ctx)
	return err
}

// lookAtSites requests pictures of several sites at a time, and of each site one after another.
func (j *Job) lookAtSites(ctx context.Context, sites map[string][]store.QueuedPicture) {
	var looks sync.WaitGroup
	seats := make(chan struct{}, picturesAtOnce)
	for _, pictures := range sites {
		seats <- struct{}{}
		looks.Go(func() {
			defer func() { <-seats }()
			for i, p := range pictures {
				if i > 0 && !j.Frozen {
					nap(ctx, picturePause)
				}
				if ctx.Err() != nil {
					return
				}
				if err := j.lookAt(ctx, p); err != nil && ctx.Err() == nil {
					j.Log.Warn("cannot store whether a picture loads", "err", err)
				}
			}
		})
	}
	looks.Wait()
}

// lookAt requests the beginning of a picture and stores whether it loads.
func (j *Job) lookAt(ctx context.Context, p store.QueuedPicture) (err error) {
	defer func() {
		if r := recover(); r != nil { // a malformed picture must not crash the program
			err = fmt.Errorf("reading the beginning of a picture: %v", r)
		}
	}()
	got, err := j.Poller.BeginningOfPicture(ctx, p.URL)
	now := j.Now()
	switch {
	case err == nil:
		size, _ := picture.Size(got.Bytes)
		return j.Store.Posts.LearnPicture(j.Hard, p.URL, size, now)
	case ctx.Err() == nil && poller.IsDeadPicture(err):
		failures := p.Failures + 1
		return j.Store.Posts.PictureFailed(j.Hard, p.URL, failures,
			picture.Retry(failures, digest.KindOf(err) == digest.NotFound, now), now)
	}
	return nil // it is due again
}
