package web

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
)

// A publisherImportPage asks for a list of members, and says what one holds or what became of it.
type publisherImportPage struct {
	publisherFrame
	Report *memberReport // nil: none was sent
}

// Most is how large a list may be, in megabytes.
func (publisherImportPage) Most() int { return maxList >> 20 }

// A memberReport is what became of a list.
type memberReport struct {
	System string // that wrote it
	Files  []string
	Looked bool // nothing was changed
	Slow   bool // there was no time for all of it
	Lines  []subscribe.MemberLine
	Unread []string // rows that could not be used, and files
	More   int      // beyond those
}

func (s *site) publisherImportPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	return s.show(w, r, http.StatusOK, "publisher_import", catalogue.Key("Import members"),
		publisherImportPage{publisherFrame: s.publisherFrame(r, me)})
}

// importMembers takes in a list of members, or says what it holds. The same list again changes nothing.
func (s *site) importMembers(w http.ResponseWriter, r *http.Request, me publisher) error {
	if !s.limits.imports.allow(me.key(), s.Now()) {
		return errTooManyFinds
	}
	unlock, busy := s.lists.tryLock(me.ID)
	if busy != nil {
		return errOneByOne
	}
	defer unlock()
	sent, err := s.receiveList(w, r)
	if err != nil {
		return s.orNoMembers(w, r, me, err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), importTime)
	defer cancel()
	leave, err := s.joining.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	report, err := s.readMembers(ctx, me.Newsletter, sent)
	if err != nil {
		return s.orNoMembers(w, r, me, err)
	}
	return s.show(w, r, http.StatusOK, "publisher_import", catalogue.Key("Import preview"),
		publisherImportPage{s.publisherFrame(r, me), &report})
}

// readMembers reads a list of members until ctx ends. The field how decides what it does: "join" adds them, "ask"
// also asks those whose consent the list does not prove, and "left" records them as people who have left. With any
// other value it only reports what the list holds.
func (s *site) readMembers(ctx context.Context, n digest.Newsletter, sent sentList) (memberReport, error) {
	list, err := members.Open(ctx, bytes.NewReader(sent.body), int64(len(sent.body)), sent.name)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return memberReport{Slow: true}, nil
	}
	if err != nil {
		return memberReport{}, err
	}
	how := sent.form.Get("how")
	if how == "left" {
		list.Suppress(members.Left)
	}
	look := how != "join" && how != "ask" && how != "left"
	report := memberReport{System: list.System, Files: list.Files, Looked: look, Unread: list.Skipped}
	i := subscribe.MemberImport{Store: s.Store, Newsletter: n, Ask: how == "ask", DryRun: look, Now: s.Now}
	i.OnUnread = func(p *members.Problem) {
		if len(report.Unread) < shownLines {
			report.Unread = append(report.Unread, shortened(p.Error()))
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

// orNoMembers shows the form again with the reason why nothing was taken in.
func (s *site) orNoMembers(w http.ResponseWriter, r *http.Request, me publisher, err error) error {
	p := publisherImportPage{publisherFrame: s.publisherFrame(r, me)}
	status := http.StatusBadRequest
	if asProblem(err) == errTooLarge {
		drain(r)
		status, err = http.StatusRequestEntityTooLarge, nil
		p.Wrong = catalogue.Key(
			"The file is larger than %d MB. Nothing was imported. Export the list again, or split it.").With(maxList >> 20)
	} else if e, ok := errors.AsType[*digest.Error](err); ok && e.Kind == digest.Invalid && e != errNoFile {
		p.Wrong, err = catalogue.Key("%s.").With(catalogue.Line(e)), nil // it begins with the name of a file
	} else if said, _ := asRefused(err); said != nil {
		p.Wrong, err = said, nil
	}
	return orShow(err, func() error {
		return s.show(w, r, status, "publisher_import", catalogue.Key("Import members"),
			p)
	})
}

// exportMembers sends the members with the proofs of their consent, and whom the newsletter is not sent to,
// as one file. It changes nothing, but it is work: neither HEAD nor a browser that fetches ahead starts it.
func (s *site) exportMembers(w http.ResponseWriter, r *http.Request, me publisher) error {
	if fetchesAhead(r) {
		return errAhead
	}
	if r.Method != http.MethodHead && !s.limits.exports.allow(me.key(), s.Now()) {
		return errOften
	}
	h, n := w.Header(), me.Newsletter
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": n.Slug + "-members-" +
		s.Now().UTC().Format(time.DateOnly) + ".zip"}))
	if r.Method == http.MethodHead {
		return nil
	}
	// Not every connection has one that can be set; it then keeps the server's.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(exportTime))
	err := members.Export{
		Newsletter: n.Name, MadeAt: s.Now(),
		Members:    s.Store.Members(r.Context(), n.ID, store.MemberQuery{}),
		Suppressed: s.Store.NewsletterSuppressions(r.Context(), n.ID),
		Asked:      s.Store.AskedAddresses(r.Context(), n.ID),
	}.Write(w)
	if err != nil {
		if r.Context().Err() == nil {
			s.Log.ErrorContext(r.Context(), "cannot send the export of a newsletter's members", "err", err)
		}
		panic(http.ErrAbortHandler) // half a file must not look like a whole one
	}
	return nil
}
