package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"digest/store"
)

// indexPosts is the number of posts that one transaction indexes. On SQLite it blocks all other writes.
const indexPosts = 100

// index adds the words of stored posts to the search index, newest posts first, until all are indexed or
// ctx ends. Releases do not wait for it, and a shutdown waits no longer than the grace. It logs errors and
// retries later.
func (j *Job) index(ctx context.Context) {
	until, cut := j.graceAfter(ctx)
	defer cut()
	over := make(chan struct{})
	go func() {
		defer close(over)
		j.indexAll(ctx, until)
	}()
	select {
	case <-over:
	case <-until.Done():
	}
}

func (j *Job) indexAll(ctx, until context.Context) {
	for ctx.Err() == nil && until.Err() == nil && !j.fenced.Load() {
		n, err := j.Store.Posts.IndexPosts(until, indexPosts)
		if err != nil && until.Err() == nil {
			j.Log.Error("cannot index new posts for search yet; retrying later", "err", err)
		}
		if err != nil || n == 0 {
			return
		}
	}
}

// indexNap is the interval of indexing during polls. Posts are usually indexed before the editions of their
// midnight.
const indexNap = 15 * time.Second

// indexOnce runs index in its own loop, since an upgrade can leave many posts to index.
func (j *Job) indexOnce(ctx context.Context) (time.Duration, error) {
	j.index(ctx)
	return min(indexNap, j.Nap), nil
}

// lookAtDomains checks the DNS records of newsletters' own domains. It logs errors and retries later.
func (j *Job) lookAtDomains(ctx context.Context) {
	if j.LookAtDomains == nil {
		return
	}
	if err := j.LookAtDomains(ctx); err != nil && ctx.Err() == nil {
		j.logError(err)
	}
}

// measure logs an error if the database is too large or its disk is nearly full.
func (j *Job) measure(ctx context.Context) error {
	if j.Judge == nil {
		return nil
	}
	bytes, err := j.Store.Operator.Size(ctx)
	if err != nil {
		return err
	}
	size := j.Judge(bytes)
	if size.Large() {
		j.Log.Error("the database is larger than DIGEST_DATABASE_ALARM; shorten DIGEST_KEEP, or raise the alarm",
			"bytes", size.Bytes, "alarm", size.Alarm)
	}
	if size.Tight() {
		j.Log.Error("the disk of the database is nearly full; free space, or shorten DIGEST_KEEP", "free", size.Free)
	}
	return nil
}

const pruneBatch = 1000

// prune shortens the histories of feeds and deletes everything older than Keep. If that would be more than
// half of the editions or posts, it waits until an operator confirms it.
func (j *Job) prune(ctx context.Context) error {
	now, err := j.Store.Operator.PruneTime(j.Hard, j.Now())
	if err != nil {
		return err
	}
	if jump := j.Now().Sub(now); jump > time.Hour {
		j.Log.Warn("the clock jumped ahead; pruning slowly", "behind", jump.Round(time.Hour).String())
	}
	if err := j.Store.Operator.MakePartitions(j.Hard, now); err != nil {
		return err
	}
	if err := j.Store.Subscriptions.ForgetMoves(j.Hard, now); err != nil {
		return err
	}
	if err := j.Store.Members.ForgetAsks(j.Hard, now); err != nil {
		return err
	}
	if _, err := j.Store.Feeds.PrunePolls(j.Hard, now); err != nil {
		return fmt.Errorf("shortening the histories of feeds: %w", err)
	}
	if err := j.measure(ctx); err != nil {
		return err
	}
	if j.Keep <= 0 {
		return nil
	}
	before, waits, err := j.Store.Operator.AdmitPrune(j.Hard, now, j.Keep)
	if err != nil {
		return err
	}
	if waits != nil {
		j.Log.Error("DIGEST_KEEP would delete more than half of the editions or posts, so nothing is deleted yet; keep more, or run: digest prune --confirm",
			"keep", j.Keep.String(), "editions", waits.Editions, "editions_of", waits.AllEditions,
			"posts", waits.Posts, "posts_of", waits.AllPosts)
	}
	return PruneAll(ctx, j.Hard, j.Store, now, now.Sub(before), j.Log)
}

// PruneAll deletes data older than keep in small batches, until all is deleted or ctx ends.
func PruneAll(ctx, hard context.Context, st *store.Store, now time.Time, keep time.Duration, log *slog.Logger) error {
	for ctx.Err() == nil {
		n, err := st.Operator.Prune(hard, now, keep, pruneBatch)
		if err != nil {
			return fmt.Errorf("deleting what is older than %v: %w", keep, err)
		}
		if n == 0 {
			break
		}
		log.Debug("pruned", "rows", n)
	}
	return nil
}
