package main

import (
	"errors"
	"fmt"

	"digest"
	"digest/feed"
	"digest/store"
	"digest/subscribe"
)

type subscribeCmd struct {
	Email string   `arg:""`
	URL   []string `arg:"" name:"url" help:"Addresses of feeds, or of pages that have one."`
}

// Run subscribes a reader to the feed behind each address. One bad address
// does not stop the others.
func (c subscribeCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		_, d, err := a.reader(st, c.Email)
		if err != nil {
			return err
		}
		desk := a.desk(st)
		var failed []error
		for _, address := range c.URL {
			if err := a.subscribe(desk, d.ID, address); err != nil {
				failed = append(failed, err)
			}
			if a.soft.Err() != nil {
				break
			}
		}
		return joinLines(failed)
	})
}

func (a *app) subscribe(desk *subscribe.Subscriber, id digest.DigestID, address string) error {
	f, created, err := desk.Subscribe(a.soft, id, address)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"url": digest.WithoutCredentials(f.URL), "title": f.Title, "created": created})
	}
	title := f.Title
	if title == "" {
		title = f.URL
	}
	if !created {
		title += " (was subscribed already)"
	}
	if f.State == digest.FeedDead || f.State == digest.FeedGone {
		title += fmt.Sprintf(" (%s: it was given up, and is asked once more)", f.State)
	}
	fmt.Fprintln(a.stdout, plain(title))
	return nil
}

// joinLines makes one line of several errors.
func joinLines(errs []error) error {
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	text := ""
	for i, err := range errs {
		if i > 0 {
			text += "; "
		}
		text += err.Error()
	}
	return errors.New(text)
}

type unsubscribeCmd struct {
	Email string `arg:""`
	URL   string `arg:"" name:"url"`
}

// Run ends a subscription.
func (c unsubscribeCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		u, d, err := a.reader(st, c.Email)
		if err != nil {
			return err
		}
		f, err := a.feedAt(st, c.URL)
		if err != nil {
			return err
		}
		if err := st.Unsubscribe(a.soft, d.ID, f.ID); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]any{"email": u.Email, "url": digest.WithoutCredentials(f.URL), "subscribed": false})
		}
		fmt.Fprintf(a.stdout, "%s no longer takes %s\n", u.Email, plain(f.URL))
		return nil
	})
}

type opmlCmd struct {
	Import opmlImportCmd `cmd:"" help:"Subscribe a reader to every feed of a list, folders kept."`
	Export opmlExportCmd `cmd:"" help:"Print a reader's subscriptions as OPML."`
}

type opmlImportCmd struct {
	Email string `arg:""`
	File  string `arg:""`
}

// mostOPML bounds a list that is read into memory, in bytes.
const mostOPML = 50 << 20

// maxTaken is more feeds than a list can hold: who runs the program knows what they do.
const maxTaken = 1 << 30

// Run imports a list, then polls for the first time what nobody took before.
// Interrupting the polls loses nothing: they are queued, and the next hour goes on.
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
		list, err := feed.ReadList(opml)
		if err != nil {
			return fmt.Errorf("%s is %w", c.File, err)
		}
		result, unread, err := a.desk(st).Import(a.soft, d.ID, list, maxTaken)
		if err != nil {
			return err
		}
		for _, r := range unread {
			fmt.Fprintf(a.stderr, "digest: left out %q (line %d): %s\n", plain(r.Title), r.Line, plain(r.Why))
		}
		if !a.json {
			fmt.Fprintf(a.stdout, "%s added, %s there before, %s left out\n",
				count(result.Added, "feed"), were(result.Already), count(len(unread), "line"))
		}
		unpolled, err := a.firstPolls(st, result.FirstPolls)
		if err != nil || !a.json {
			return err
		}
		return a.printJSON(map[string]int{"added": result.Added, "already": result.Already, "refused": len(unread), "unread": unpolled})
	})
}

func were(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}

// firstPolls reads the new feeds of an import and reports those that could not
// be read; they stay subscribed and are tried again.
func (a *app) firstPolls(st *store.Store, feeds []digest.FeedID) (unread int, err error) {
	if len(feeds) == 0 {
		return 0, nil
	}
	job, transport, err := a.job(st)
	if err != nil {
		return 0, err
	}
	defer transport.Close()
	watch := a.watchFirstPolls(job, len(feeds))
	sum, err := job.Poll(a.soft)
	watch.finish()
	if err != nil {
		return 0, err
	}
	for _, line := range watch.failed {
		fmt.Fprintln(a.stderr, "digest: not read yet: "+plain(line))
	}
	if !a.json {
		fmt.Fprintf(a.stdout, "%s read for the first time, %d could not be read and will be tried again\n", count(sum.Changed+sum.Unchanged, "feed"), sum.Failed)
	}
	return sum.Failed, nil
}

type opmlExportCmd struct {
	Email string `arg:""`
}

// Run prints a reader's list.
func (c opmlExportCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		u, d, err := a.reader(st, c.Email)
		if err != nil {
			return err
		}
		return a.desk(st).Export(a.soft, d.ID, "Feeds of "+u.Email, a.stdout)
	})
}
