package web

import (
	"mime"
	"net/http"
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/export"
	"digest/store"
	"digest/web/page"
)

type dataPage struct {
	*page.Visit
	Private bool // the reader has private feeds
}

func (s *site) dataPage(v *page.Visit) error {
	subs, err := s.Store.Subscriptions.AllSubscriptions(v.Ctx, v.Digest.ID)
	private := slices.ContainsFunc(subs,
		func(sub store.SubscriptionInfo) bool { return digest.IsPrivate(sub.Feed.URL) })
	return v.Show(err, "settings_data", catalogue.Key("Export your data"), dataPage{v, private})
}

// downloadData sends all data of the reader as a ZIP file. It changes nothing, but it is expensive, so HEAD requests
// and browser prefetches do not start it.
func (s *site) downloadData(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	if page.FetchesAhead(r) {
		return page.ErrAhead
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
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(page.ExportTime))
	if err := all.Write(r.Context(), w); err != nil {
		if r.Context().Err() == nil {
			s.Log.ErrorContext(r.Context(), "cannot send a reader's export", "err", err)
		}
		panic(http.ErrAbortHandler) // close the connection: a truncated file must not look complete
	}
	return nil
}

// readData reads the small tables of the reader's data. It returns ErrOften if the reader exports too often.
func (s *site) readData(r *http.Request, me page.Reader) (*export.Export, error) {
	if !s.Limits.Exports.Allow(me.Key(), s.Now()) {
		return nil, page.ErrOften
	}
	return export.Read(r.Context(), s.Store, me.User, me.Digest, s.Language(r), s.Now())
}
