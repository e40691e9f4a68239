package main

import (
	"fmt"

	"github.com/schollz/progressbar/v3"

	"digest/poller"
	"digest/worker"
)

// A progress follows the polls of a job, with a progress bar on a terminal.
type progress struct {
	bar    *progressbar.ProgressBar
	failed []string // one line for each
}

// watchPolls follows the polls of a job, n of which are already known.
func (a *app) watchPolls(job *worker.Job, n int, what string) *progress {
	p := &progress{bar: progressbar.NewOptions(n,
		progressbar.OptionSetVisibility(a.onTerminal() && !a.json),
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)}
	job.Report = p.see
	return p
}

func (p *progress) see(ev worker.Event) {
	switch ev.Kind {
	case worker.EventPlanned:
		p.bar.ChangeMax(p.bar.GetMax() + ev.Feeds)
	case worker.EventPolled:
		if ev.Result.Outcome == poller.Failed {
			p.failed = append(p.failed, fmt.Sprintf("%s: %s", ev.Result.Feed.URL, ev.Result.Message))
		}
		p.bar.Add(1)
	}
}
