package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// A listReport is the result of an import, as far as it was known right after the import. The table
// imports stores it as JSON. All values are safe to show on a page.
type listReport struct {
	Name    string // title of the list; may be empty
	Feeds   int    // in the file
	Added   int    // new subscriptions
	Already int    // existing subscriptions
	Unread  []unreadLine
	More    int // number of bad lines that Unread omits
	Left    []string
	Full    int // feeds over the limit
	Most    int // the limit of feeds per reader
	Notes   []digest.Words
}

// An unreadLine is a line that could not be read. Why is in English. If Format is set, Said
// translates it.
type unreadLine struct {
	Line   int
	Title  string
	Why    string
	Format string   `json:",omitempty"`
	Values []string `json:",omitempty"`
}

// newUnreadLine converts a bad line for storage.
func newUnreadLine(line feed.BadLine) unreadLine {
	l := unreadLine{Line: line.Line, Title: page.Shortened(line.Title), Why: page.Shortened(line.Why.Error())}
	if e, ok := errors.AsType[*digest.Error](line.Why); ok && e.Format != "" {
		l.Format = e.Format
		for _, v := range e.Values {
			l.Values = append(l.Values, page.Shortened(fmt.Sprint(v)))
		}
	}
	return l
}

func (l unreadLine) Said() catalogue.Sayable {
	values := make([]any, len(l.Values))
	for i, v := range l.Values {
		values[i] = v
	}
	return catalogue.Refusal(&digest.Error{Message: strings.TrimSuffix(l.Why, "."), Format: l.Format, Values: values})
}

const (
	looksAgain = time.Hour // how long after the import the page reloads automatically
)

// writtenReport returns the report of an import as JSON.
func writtenReport(list *feed.Document, result store.ImportResult) string {
	text, err := json.Marshal(reportOf(list, result))
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return string(text)
}

func reportOf(list *feed.Document, result store.ImportResult) listReport {
	unread := list.BadLines
	p := listReport{Name: page.Shortened(list.Title), Feeds: len(list.Feeds), Added: result.Added,
		Already: result.Already,
		Most:    mostFeeds}
	for _, repair := range list.Repairs {
		p.Notes = append(p.Notes, digest.Words(repair))
	}
	p.More = max(0, len(unread)-page.ShownLines)
	for _, line := range unread[:len(unread)-p.More] {
		p.Unread = append(p.Unread, newUnreadLine(line))
	}
	p.Full = len(result.Left)
	for _, it := range result.Left[:min(p.Full, page.ShownLines)] {
		line := page.Shortened(digest.WithoutCredentials(it.URL))
		if it.Title != "" {
			line = page.Shortened(it.Title) + " (" + line + ")"
		}
		p.Left = append(p.Left, line)
	}
	return p
}

// A feedsImportReportPage shows the result of the reader's latest import and the progress of the
// first polls.
type feedsImportReportPage struct {
	listReport
	firstReads
	Fenced bool // the operator has paused the instance with the fence
	Again  bool // the page reloads automatically
	First  bool // the reader has no edition yet
}

// firstReads counts the imported feeds that were new to this instance, by the result of their first
// poll.
type firstReads struct {
	New      int // total
	Read     int // read successfully, or unsubscribed since
	Failed   int // failed so far, gone or blocked
	Waiting  int // not polled yet
	Troubles []feedLine
	Gone     []string // names of gone feeds
}

// Asked returns how many were polled.
func (p firstReads) Asked() int { return p.New - p.Waiting }

// Unreadable returns the number of lines that could not be read.
func (p listReport) Unreadable() int { return len(p.Unread) + p.More }

// Unlisted returns the number of sites over the limit that the page does not list.
func (p listReport) Unlisted() int { return p.Full - len(p.Left) }

// importReportPage shows the report. Everything is in the database, so the reader can close the
// page, and any process can serve it.
func (s *site) importReportPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	l, err := s.Store.Subscriptions.ListImport(r.Context(), me.Digest.ID)
	if digest.KindOf(err) == digest.NotFound {
		return page.SeeOther(w, r, "/feeds/import")
	}
	if err != nil {
		return err
	}
	p := feedsImportReportPage{firstReads: s.firstReadsOf(me.Digest, l), First: me.Digest.Editions == 0}
	if err := json.Unmarshal([]byte(l.Report), &p.listReport); err != nil {
		return fmt.Errorf("reading the report of a list: %w", err)
	}
	p.Fenced, err = s.Fenced(r.Context())
	p.Again = p.Waiting > 0 && !p.Fenced && s.Now().Sub(l.ImportedAt) < looksAgain
	return s.ShowPage(w, r, err, "feeds_import_report", catalogue.Key("Your import"), p)
}

// firstReadsOf counts the imported feeds by the result of their first poll. Paused subscriptions
// are not polled and do not count.
func (s *site) firstReadsOf(d digest.Digest, l store.ListImport) (p firstReads) {
	p.New = l.FirstPolls
	for _, sub := range l.Subscriptions {
		switch f := sub.Feed; {
		case sub.Paused:
			p.New--
		case !f.ParsedAt.IsZero():
		case f.Errors > 0 || f.LastError != "" || f.State == digest.FeedBlocked || f.State == digest.FeedDeclined:
			if p.Failed++; len(p.Troubles) < page.ShownLines {
				p.Troubles = append(p.Troubles, s.lineOf(d, sub))
			}
		default:
			p.Waiting++
		}
	}
	for _, f := range l.Gone {
		if p.Failed++; len(p.Troubles)+len(p.Gone) < page.ShownLines {
			p.Gone = append(p.Gone, page.Shortened(feedTitle(f)))
		}
	}
	p.Read = p.New - p.Failed - p.Waiting
	return p
}
