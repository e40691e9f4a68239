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
)

// A listReport is what became of a list, as far as that is known when it was read. It is stored (table imports),
// with nothing in it that a page may not show.
type listReport struct {
	Name    string // of the list; may be empty
	Feeds   int    // in the file
	Added   int    // subscriptions that are new
	Already int    // that there were before
	Unread  []unreadLine
	More    int // lines beyond those of Unread
	Left    []string
	Full    int // feeds for which there was no room
	Most    int // feeds of one reader
	Notes   []digest.Words
}

// An unreadLine is a line that could not be read. Why is in English; where Format is known, each language says it.
type unreadLine struct {
	Line   int
	Title  string
	Why    string
	Format string   `json:",omitempty"`
	Values []string `json:",omitempty"`
}

// newUnreadLine is a line of a list as it is stored.
func newUnreadLine(line feed.BadLine) unreadLine {
	l := unreadLine{Line: line.Line, Title: shortened(line.Title), Why: shortened(line.Why.Error())}
	if e, ok := errors.AsType[*digest.Error](line.Why); ok && e.Format != "" {
		l.Format = e.Format
		for _, v := range e.Values {
			l.Values = append(l.Values, shortened(fmt.Sprint(v)))
		}
	}
	return l
}

// Said is why, as a sentence.
func (l unreadLine) Said() catalogue.Sayable {
	values := make([]any, len(l.Values))
	for i, v := range l.Values {
		values[i] = v
	}
	return catalogue.Refusal(&digest.Error{Message: strings.TrimSuffix(l.Why, "."), Format: l.Format, Values: values})
}

const (
	shownLines = 200       // of a report: what goes on behind is counted
	looksAgain = time.Hour // for so long after the import the page looks again by itself
)

// writtenReport is the report of a list as it is stored.
func writtenReport(list *feed.Document, result store.ImportResult) string {
	text, err := json.Marshal(reportOf(list, result))
	if err != nil {
		panic(err) // it holds texts and numbers only
	}
	return string(text)
}

// reportOf says what became of a list.
func reportOf(list *feed.Document, result store.ImportResult) listReport {
	unread := list.BadLines
	p := listReport{Name: shortened(list.Title), Feeds: len(list.Feeds), Added: result.Added, Already: result.Already,
		Most: mostFeeds}
	for _, repair := range list.Repairs {
		p.Notes = append(p.Notes, digest.Words(repair))
	}
	p.More = max(0, len(unread)-shownLines)
	for _, line := range unread[:len(unread)-p.More] {
		p.Unread = append(p.Unread, newUnreadLine(line))
	}
	p.Full = len(result.Left)
	for _, it := range result.Left[:min(p.Full, shownLines)] {
		line := shortened(digest.WithoutCredentials(it.URL))
		if it.Title != "" {
			line = shortened(it.Title) + " (" + line + ")"
		}
		p.Left = append(p.Left, line)
	}
	return p
}

// A feedsImportReportPage says what became of the reader's latest list, and how far its new feeds are read.
type feedsImportReportPage struct {
	listReport
	firstReads
	Fenced bool // whoever runs this has paused all of it
	Again  bool // the page looks again by itself
	First  bool // there is no edition yet
}

// firstReads is how far the feeds of a list are read that nobody here had read before.
type firstReads struct {
	New      int // all of them
	Read     int // of them: read, or left since
	Failed   int // could not be read so far, are gone for good, or are not asked
	Waiting  int // were not asked yet
	Troubles []feedLine
	Gone     []string // the names of those that are gone for good
}

// Asked is how many of them were asked.
func (p firstReads) Asked() int { return p.New - p.Waiting }

// Unreadable returns the number of lines that could not be read.
func (p listReport) Unreadable() int { return len(p.Unread) + p.More }

// Unlisted returns the number of sites over the limit that the page does not list.
func (p listReport) Unlisted() int { return p.Full - len(p.Left) }

// importReportPage shows the report. All of it is in the database, so the page may be closed meanwhile, and any
// process can show it.
func (s *site) importReportPage(w http.ResponseWriter, r *http.Request, me reader) error {
	l, err := s.Store.ListImport(r.Context(), me.Digest.ID)
	if digest.KindOf(err) == digest.NotFound {
		return seeOther(w, r, "/feeds/import")
	}
	if err != nil {
		return err
	}
	p := feedsImportReportPage{firstReads: s.firstReadsOf(me.Digest, l), First: me.Digest.Editions == 0}
	if err := json.Unmarshal([]byte(l.Report), &p.listReport); err != nil {
		return fmt.Errorf("reading the report of a list: %w", err)
	}
	p.Fenced, err = s.fenced(r.Context())
	p.Again = p.Waiting > 0 && !p.Fenced && s.Now().Sub(l.ImportedAt) < looksAgain
	return s.showPage(w, r, err, "feeds_import_report", catalogue.Key("Your import"), p)
}

// firstReadsOf counts the feeds of a list by what came of their first polls. Those of paused
// subscriptions are not asked.
func (s *site) firstReadsOf(d digest.Digest, l store.ListImport) (p firstReads) {
	p.New = l.FirstPolls
	for _, sub := range l.Subscriptions {
		switch f := sub.Feed; {
		case sub.Paused:
			p.New--
		case !f.ParsedAt.IsZero():
		case f.Errors > 0 || f.LastError != "" || f.State == digest.FeedBlocked || f.State == digest.FeedDeclined:
			if p.Failed++; len(p.Troubles) < shownLines {
				p.Troubles = append(p.Troubles, s.lineOf(d, sub))
			}
		default:
			p.Waiting++
		}
	}
	for _, f := range l.Gone {
		if p.Failed++; len(p.Troubles)+len(p.Gone) < shownLines {
			p.Gone = append(p.Gone, shortened(feedTitle(f)))
		}
	}
	p.Read = p.New - p.Failed - p.Waiting
	return p
}
