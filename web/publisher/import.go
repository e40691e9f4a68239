package publisher

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/members"
	"digest/store"
	"digest/subscribe"
	"digest/web/page"
)

// A importPage asks for a list of members and reports its contents or the result of the import.
type importPage struct {
	publisher
	Report *memberReport     // nil: no list was sent
	Wrong  catalogue.Sayable // nil: no error
}

// Most returns the largest size of a list in megabytes.
func (importPage) Most() int { return page.MaxList >> 20 }

// A memberReport is the result of an import or of its preview.
type memberReport struct {
	System string // the system that wrote the list
	Files  []string
	Looked bool // a preview: nothing was changed
	Slow   bool // the time ran out before the end of the list
	Lines  []subscribe.MemberLine
	Unread []string // rows and files that could not be read
	More   int      // number of further such rows
}

func (s *Site) importPage(me publisher) error {
	return me.Visit.Show(nil, "publisher/import", catalogue.Key("Import members"), importPage{publisher: me})
}

// importMembers imports a list of members, or previews it. Importing the same list again changes nothing.
func (s *Site) importMembers(me publisher) error {
	if !s.Limits.Imports.Allow(me.Key(), me.Now) {
		return page.ErrTooManyFinds
	}
	unlock, busy := s.lists.TryLock(me.ID)
	if busy != nil {
		return page.ErrOneByOne
	}
	defer unlock()
	sent, err := s.ReceiveList(me.W, me.Request)
	if err != nil {
		return s.orNoMembers(me, err)
	}
	ctx, cancel := context.WithTimeout(me.Ctx, page.ImportTime)
	defer cancel()
	leave, err := s.joining.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	report, err := s.readMembers(ctx, me.Newsletter, sent)
	if err != nil {
		return s.orNoMembers(me, err)
	}
	me.Status = http.StatusOK
	return me.Visit.Show(nil, "publisher/import", catalogue.Key("Import preview"),
		importPage{publisher: me, Report: &report})
}

// readMembers reads a list of members until ctx ends. The field "how" selects the action: "join" adds members, "ask"
// also sends confirmation requests to people whose consent the list does not prove, and "left" records people as
// unsubscribed. Any other value only previews the list.
func (s *Site) readMembers(ctx context.Context, n digest.Newsletter, sent page.SentList) (memberReport, error) {
	list, err := members.Open(ctx, bytes.NewReader(sent.Body), int64(len(sent.Body)), sent.Name)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return memberReport{Slow: true}, nil
	}
	if err != nil {
		return memberReport{}, err
	}
	how := sent.Form.Get("how")
	if how == "left" {
		list.Suppress(members.Left)
	}
	look := how != "join" && how != "ask" && how != "left"
	report := memberReport{System: list.System, Files: list.Files, Looked: look, Unread: list.Skipped}
	i := subscribe.MemberImport{Store: s.Store, Newsletter: n, Ask: how == "ask", DryRun: look, Now: s.Now}
	i.OnUnread = func(p *members.Problem) {
		if len(report.Unread) < page.ShownLines {
			report.Unread = append(report.Unread, page.Shortened(p.Error()))
		} else {
			report.More++
		}
	}
	err = i.Run(ctx, list)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		report.Slow, err = true, nil
	}
	report.Lines = i.Lines(look)
	return report, err
}

// orNoMembers shows the form again with the reason why nothing was imported.
func (s *Site) orNoMembers(me publisher, err error) error {
	p := importPage{publisher: me}
	me.Status = http.StatusBadRequest
	if page.AsProblem(err) == page.ErrTooLarge {
		page.Drain(me.Request)
		me.Status, err = http.StatusRequestEntityTooLarge, nil
		p.Wrong = catalogue.Key(
			"The file is larger than %d MB. Nothing was imported. Export the list again, or split it.").
			With(page.MaxList >> 20)
	} else if e, ok := errors.AsType[*digest.Error](err); ok && e.Kind == digest.Invalid && e != page.ErrNoFile {
		// Line, not Refusal: the message begins with the name of a file.
		p.Wrong, err = catalogue.Key("%s.").With(catalogue.Line(e)), nil
	} else if said, _ := asRefused(err); said != nil {
		p.Wrong, err = said, nil
	}
	return me.Visit.Show(err, "publisher/import", catalogue.Key("Import members"), p)
}

// exportMembers sends one ZIP file with the members, the proofs of their consent, and the suppressed addresses. It
// changes nothing, but it is expensive, so HEAD requests and browser prefetches do not start it.
func (s *Site) exportMembers(me publisher) error {
	if page.FetchesAhead(me.Request) {
		return page.ErrAhead
	}
	if me.Method != http.MethodHead && !s.Limits.Exports.Allow(me.Key(), me.Now) {
		return page.ErrOften
	}
	h, n := me.W.Header(), me.Newsletter
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": n.Slug + "-members-" +
		me.Now.UTC().Format(time.DateOnly) + ".zip"}))
	if me.Method == http.MethodHead {
		return nil
	}
	// Some connections have no write deadline of their own. They keep the server's.
	_ = http.NewResponseController(me.W).SetWriteDeadline(time.Now().Add(page.ExportTime))
	err := members.Export{
		Newsletter: n.Name, MadeAt: me.Now,
		Members:    s.Store.Members.Members(me.Ctx, n.ID, store.MemberQuery{}),
		Suppressed: s.Store.Members.NewsletterSuppressions(me.Ctx, n.ID),
		Asked:      s.Store.Members.AskedAddresses(me.Ctx, n.ID),
	}.Write(me.W)
	if err != nil {
		if me.Ctx.Err() == nil {
			s.Log.ErrorContext(me.Ctx, "cannot send the export of a newsletter's members", "err", err)
		}
		panic(http.ErrAbortHandler) // close the connection: a truncated file must not look complete
	}
	return nil
}
