package web

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/export"
	"digest/store"
)

// A dataPage is the way to all that is a reader's.
type dataPage struct {
	settingsFrame
	Private bool // feeds of theirs are private
}

func (s *site) dataPage(w http.ResponseWriter, r *http.Request, me reader) error {
	subs, err := s.Store.AllSubscriptions(r.Context(), me.Digest.ID)
	private := slices.ContainsFunc(subs,
		func(sub store.SubscriptionInfo) bool { return digest.IsPrivate(sub.Feed.URL) })
	return s.showPage(w, r, err, "settings_data", catalogue.Key("Export your data"), dataPage{s.frame(r, me), private})
}

// exportTime is how long the file may take on its way: a gigabyte at a slow
// reader's. It is by the machine's clock, as connections are.
const exportTime = 30 * time.Minute

// downloadData sends all that is a reader's as one file. It changes nothing, but it is
// work: neither HEAD nor a browser that fetches ahead starts it.
func (s *site) downloadData(w http.ResponseWriter, r *http.Request, me reader) error {
	if fetchesAhead(r) {
		return errAhead
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition",
		mime.FormatMediaType("attachment", map[string]string{"filename": export.FileName(s.Now())}))
	if r.Method == http.MethodHead {
		return nil
	}
	all, err := s.readData(r, me)
	if err != nil {
		h.Del("Content-Disposition")
		return err
	}
	// Not every connection has one that can be set; it then keeps the server's.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(exportTime))
	if err := all.Write(r.Context(), w); err != nil {
		if r.Context().Err() == nil {
			s.Log.ErrorContext(r.Context(), "cannot send a reader's export", "err", err)
		}
		panic(http.ErrAbortHandler) // half a file must not look like a whole one
	}
	return nil
}

// readData reads what is small of a reader's data, if they have not asked too often.
func (s *site) readData(r *http.Request, me reader) (*export.Export, error) {
	if !s.limits.exports.allow(me.key(), s.Now()) {
		return nil, errOften
	}
	return export.Read(r.Context(), s.Store, me.User, me.Digest, s.language(r), s.Now())
}

var (
	errAhead = &problem{http.StatusServiceUnavailable, catalogue.Key("Download not started"),
		catalogue.Key("Open “Export your data” and press the download button.")}
	errOften = &problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
		catalogue.Key("You did this several times in a short while. Try again in a few minutes.")}
)

// fetchesAhead reports whether a browser asks for what its reader may never want.
func fetchesAhead(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.Contains(strings.ToLower(r.Header.Get(name)), "pre") { // prefetch, prerender, preview
			return true
		}
	}
	return false
}
