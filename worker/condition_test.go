package worker

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestConditions holds that the log has a line for each change of a feed's condition, and only for changes.
func TestConditions(t *testing.T) {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	well := digest.Feed{URL: "https://a.example/feed", State: digest.FeedActive}
	failing, dead, gone := well, well, well
	failing.Errors, failing.LastError = 1, errors.New("it does not answer").Error()
	dead.State, dead.Errors, dead.LastError = digest.FeedDead, 9, "it does not answer"
	gone.State = digest.FeedGone
	worse := failing
	worse.Errors = 2
	for _, test := range []struct {
		was, is digest.Feed
		want    string // of the line; "": no line
	}{
		{well, well, ""}, {failing, worse, ""}, {gone, gone, ""},
		{well, failing, "was=well is=failing why=\"it does not answer"},
		{failing, dead, "was=failing is=dead why="},
		{worse, well, "was=failing is=well why="},
		{well, gone, "was=well is=gone why="},
	} {
		var log bytes.Buffer
		r := &round{job: &Job{Options: Options{Log: slog.New(slog.NewTextHandler(&log, nil)),
			Now: func() time.Time { return now }}}}
		r.tellCondition(test.was, test.is)
		if said := log.String(); (test.want == "") != (said == "") || !strings.Contains(said, test.want) {
			t.Errorf("%q, want %q", said, test.want)
		}
	}
}
