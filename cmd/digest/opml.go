package main

import (
	"fmt"

	"digest"
	"digest/feed"
	"digest/store"
	"digest/worker"
)

type opmlCmd struct {
	Import opmlImportCmd `cmd:"" help:"Subscribe a reader to every feed of a list, with its folders."`
	Export opmlExportCmd `cmd:"" help:"Print a reader's subscriptions as OPML."`
}

type opmlImportCmd struct {
	Email string `arg:""`
	File  string `arg:""`
}

const mostOPML = 50 << 20

// mostImported does not limit the operator, who may import any number of feeds.
const mostImported = 1 << 30

// Run imports a list, then polls the new feeds. If it is interrupted, the hourly job polls the rest, because the feeds
// are queued.
func (c opmlImportCmd) Run(a *app) error {
	opml, err := readFile(a.soft, c.File, mostOPML)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return a.withPolls(func(st *store.Store) error {
		_, d, err := a.reader(st, c.Email)
		if err != nil {
			return err
		}
		list, result, err := a.subscriber(st).Import(a.soft, d.ID, opml, mostImported)
		switch {
		case err != nil && a.soft.Err() != nil:
			return errInterrupted
		case digest.KindOf(err) == digest.Invalid:
			return fmt.Errorf("%s is %w", c.File, err)
		case err != nil:
			return err
		}
		return a.reportImport(st, list.BadLines, result)
	})
}

func (a *app) reportImport(st *store.Store, unread []feed.BadLine, result store.ImportResult) error {
	for _, line := range unread {
		fmt.Fprintf(a.stderr, "digest: skipped %q (line %d): %s\n", plain(line.Title), line.Line,
			plain(line.Why.Error()))
	}
	if !a.json {
		were := "were"
		if result.Already == 1 {
			were = "was"
		}
		a.printf("%s added, %d %s already there, %s skipped\n",
			digest.Counted(result.Added, "feed"), result.Already, were, digest.Counted(len(unread), "line"))
	}
	unpolled, err := a.firstPolls(st, result.FirstPolls)
	if err != nil || !a.json {
		return err
	}
	return a.printJSON(map[string]int{"added": result.Added, "already": result.Already, "refused": len(unread),
		"unread": unpolled})
}

// firstPolls polls the new feeds of an import and prints the failed ones. These stay subscribed and are polled again.
func (a *app) firstPolls(st *store.Store, feeds []digest.FeedID) (unread int, err error) {
	if len(feeds) == 0 {
		return 0, nil
	}
	err = a.withJob(st, func(job *worker.Job) error {
		progress := a.watchPolls(job, len(feeds), "first polls")
		sum, err := job.Poll(a.soft)
		progress.bar.Finish()
		if err != nil {
			return err
		}
		for _, line := range progress.failed {
			fmt.Fprintln(a.stderr, "digest: not read yet: "+plain(line))
		}
		if !a.json {
			a.printf("%s read for the first time, %d could not be read and will be tried again\n",
				digest.Counted(sum.Changed+sum.Unchanged, "feed"), sum.Failed)
		}
		unread = sum.Failed
		return nil
	})
	return unread, err
}

type opmlExportCmd struct {
	reads
	readerArg
	WithCredentials bool `env:"-" help:"Include unencrypted passwords and secret addresses of private feeds."`
}

func (c opmlExportCmd) Run(a *app, st *store.Store, u digest.User, d digest.Digest) error {
	return a.subscriber(st).Export(a.soft, d.ID, "Feeds of "+u.Email, c.WithCredentials, a.stdout)
}
