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

type dataPage struct {
	*visit
	Private bool // the reader has private feeds
}

func (s *site) dataPage(v *visit) error {
	subs, err := s.Store.Subscriptions.AllSubscriptions(v.ctx, v.Digest.ID)
	private := slices.ContainsFunc(subs,
		func(sub store.SubscriptionInfo) bool { return digest.IsPrivate(sub.Feed.URL) })
	return v.show(err, "settings_data", catalogue.Key("Export your data"), dataPage{v, private})
}

// exportTime is the longest time to send an export: a gigabyte on a slow connection. Deadlines of connections use the
// machine's clock, not s.Now.
const exportTime = 30 * time.Minute

// downloadData sends all data of the reader as a ZIP file. It changes nothing, but it is expensive, so HEAD requests
// and browser prefetches do not start it.
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
	// Some connections have no write deadline of their own. They keep the server's.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(exportTime))
	if err := all.Write(r.Context(), w); err != nil {
		if r.Context().Err() == nil {
			s.Log.ErrorContext(r.Context(), "cannot send a reader's export", "err", err)
		}
		panic(http.ErrAbortHandler) // close the connection: a truncated file must not look complete
	}
	return nil
}

// readData reads the small tables of the reader's data. It returns errOften if the reader exports too often.
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
		catalogue.Key("You’ve done this too many times. Try again in a few minutes.")}
)

// fetchesAhead reports whether the browser prefetches or prerenders the page.
func fetchesAhead(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.Contains(strings.ToLower(r.Header.Get(name)), "pre") { // prefetch, prerender, preview
			return true
		}
	}
	return false
}
