package main

import (
	"fmt"

	"github.com/schollz/progressbar/v3"

	"digest/hourly"
	"digest/poller"
)

// watch follows the polls of a job, with a progress bar where a person looks.
type watch struct {
	bar    *progressbar.ProgressBar // nil: nobody looks
	failed []string                 // one line each
}

// watchPolls follows a tick: how many feeds it will be is known once they are planned.
func (a *app) watchPolls(job *hourly.Job) *watch {
	return a.watch(job, 0, "polling")
}

// watchFirstPolls follows the first polls of n new feeds.
func (a *app) watchFirstPolls(job *hourly.Job, n int) *watch {
	return a.watch(job, n, "first polls")
}

func (a *app) watch(job *hourly.Job, n int, what string) *watch {
	w := &watch{}
	if a.onTerminal() && !a.json {
		w.bar = progressbar.NewOptions(n,
			progressbar.OptionSetWriter(a.stderr),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
		)
	}
	job.Report = w.see
	return w
}

func (w *watch) see(ev hourly.Event) {
	switch ev.Kind {
	case hourly.EventPlanned:
		if w.bar != nil {
			w.bar.ChangeMax(w.bar.GetMax() + ev.Feeds)
		}
	case hourly.EventPolled:
		if ev.Result.Outcome == poller.Failed {
			w.failed = append(w.failed, fmt.Sprintf("%s: %s", ev.Result.Feed.URL, ev.Result.Message))
		}
		if w.bar != nil {
			w.bar.Add(1)
		}
	}
}

func (w *watch) finish() {
	if w.bar != nil {
		w.bar.Finish()
	}
}
