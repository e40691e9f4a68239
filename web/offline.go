package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/render"

	"golang.org/x/net/html"
)

// The scripts in static/offline download, show and delete the editions for offline reading. The
// server lists what an edition needs, and identifies the signed-in reader with each page.

const (
	mostOfflineEditions = 7   // the latest editions
	mostOfflinePosts    = 300 // the first posts of an edition
	mostOfflinePictures = 300 // of the first posts of an edition
)

// accountHeader identifies the reader of a response. Browsers store no page of another reader, and
// delete their pages when nobody is signed in. A save that was made offline also sends it.
const accountHeader = "Digest-Account"

// noAccount is the value without a session.
const noAccount = "none"

// account returns an ID of the reader for their browsers. It grants no access.
func (s *site) account(id digest.UserID) string {
	return s.Signer.SignText(digest.ForDevice, strconv.FormatInt(int64(id), 10))
}

// A deviceView is the part of a page for browsers that store it.
type deviceView struct {
	Account string
	Leaving string            // name of the leaving cookie
	Made    catalogue.Sayable // time of the response in the reader's time zone
}

// tellDevice sets accountHeader, unless the response is cached or the session is unknown.
func (s *site) tellDevice(h http.Header, who digest.User, err error) *deviceView {
	switch {
	case err != nil || !s.Offline:
		return nil
	case who.ID == 0:
		if isUncached(h) {
			h.Set(accountHeader, noAccount)
		}
		return nil
	}
	v := &deviceView{s.account(who.ID), s.leavingCookie(),
		catalogue.Time("2 January 2006, 15:04", s.Now().In(zoneOr(who.TimeZone)))}
	h.Set(accountHeader, v.Account)
	return v
}

// leavingCookie names the cookie that a page sets if the reader signs out offline. The next request
// ends the session.
func (s *site) leavingCookie() string { return s.cookieName() + "-leaving" }

// withLeaving ends the session of a browser with the leaving cookie. It ignores requests for public
// cached files.
func (s *site) withLeaving(next http.Handler) http.Handler {
	leave := s.handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.endSession(r); err != nil {
			return err
		}
		s.leaveBrowser(w)
		s.setCookie(w, s.leavingCookie(), "", -1)
		next.ServeHTTP(w, r)
		return nil
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := r.Cookie(s.leavingCookie())
		if shared := strings.HasPrefix(r.URL.Path, "/static/") ||
			strings.HasPrefix(r.URL.Path, "/image/"); err != nil || shared {
			next.ServeHTTP(w, r)
			return
		}
		leave.ServeHTTP(w, r)
	})
}

// clearDevice makes the browser delete its cache and storage of this site.
func clearDevice(w http.ResponseWriter) { w.Header().Set("Clear-Site-Data", `"cache", "storage"`) }

// worker serves the service worker. If offline reading is off, it serves a worker that deletes the
// stored pages and unregisters itself.
func (s *site) worker(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	script := s.assets.worker
	if !s.Offline {
		script = s.assets.withdrawn
	}
	_, _ = w.Write(script)
	return nil
}

type manifestIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

// A shareTarget receives what the reader shares from other apps.
type shareTarget struct {
	Action  string            `json:"action"`
	Method  string            `json:"method"`
	Enctype string            `json:"enctype"`
	Params  map[string]string `json:"params"`
}

// A manifest lets a browser install the site as an app. It is the same for all readers, because
// browsers request it without cookies.
type manifest struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	ShortName   string         `json:"short_name"`
	StartURL    string         `json:"start_url"`
	Scope       string         `json:"scope"`
	Display     string         `json:"display"`
	Theme       string         `json:"theme_color"`
	Background  string         `json:"background_color"`
	Icons       []manifestIcon `json:"icons"`
	ShareTarget shareTarget    `json:"share_target"`
}

func (s *site) manifest(w http.ResponseWriter, _ *http.Request) error {
	paper := render.Variables()["paper"]
	m := manifest{
		ID: "/", Name: render.DefaultName, ShortName: "Digest", StartURL: "/", Scope: "/", Display: "standalone",
		Theme: paper, Background: paper,
		ShareTarget: shareTarget{"/feeds/share", http.MethodGet, "application/x-www-form-urlencoded",
			map[string]string{"title": "title", "text": "text", "url": "url"}},
	}
	for _, icon := range []struct{ file, sizes, kind, purpose string }{
		{"icon.svg", "any", "image/svg+xml", ""}, {"icon-192.png", "192x192", "image/png", ""},
		{"icon-512.png", "512x512", "image/png", ""}, {"icon-maskable.png", "512x512", "image/png", "maskable"},
	} {
		src, err := s.assets.url(icon.file)
		if err != nil {
			return err
		}
		m.Icons = append(m.Icons, manifestIcon{src, icon.sizes, icon.kind, icon.purpose})
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Del("X-Robots-Tag")
	return sendJSON(w, "application/manifest+json", m)
}

func sendJSON(w http.ResponseWriter, contentType string, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(b)
	}
	return err
}

// offlinePage is shown offline in place of a page that is not stored.
func (s *site) offlinePage(w http.ResponseWriter, r *http.Request, _ reader) error {
	if !s.Offline {
		return errNotFound
	}
	return s.show(w, r, http.StatusOK, "offline", catalogue.Key("You’re offline"), nil)
}

// An offlineList lists the editions to store, newest first, and the static files of their pages.
type offlineList struct {
	Editions []offlineName `json:"editions"`
	Files    []string      `json:"files"`
}

type offlineName struct {
	Date string `json:"date"`
	Name string `json:"name"` // display name
}

func (s *site) offlineEditions(w http.ResponseWriter, r *http.Request, me reader) error {
	if !s.Offline {
		return errNotFound
	}
	list, err := s.Store.Editions.LatestEditions(r.Context(), me.Digest.ID, s.Now(), mostOfflineEditions)
	if err != nil {
		return err
	}
	all := offlineList{Editions: []offlineName{}}
	for _, e := range list {
		all.Editions = append(all.Editions,
			offlineName{e.LocalDate.String(), catalogue.Day("Monday 2 January 2006", e.LocalDate).In(s.language(r))})
	}
	for _, file := range []string{styleSheet, "digest.js", offlineScript, "icon.svg"} {
		address, err := s.assets.url(file)
		if err != nil {
			return err
		}
		all.Files = append(all.Files, address)
	}
	s.tellDevice(w.Header(), me.User, nil)
	return sendJSON(w, "application/json", all)
}

// An offlineNeeds lists the pages and the pictures of one edition, in the order of its posts.
type offlineNeeds struct {
	Pages    []string `json:"pages"`
	Pictures []string `json:"pictures"`
}

func (s *site) offlineEdition(w http.ResponseWriter, r *http.Request, me reader) error {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil || !s.Offline {
		return errNotFound
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), me.Digest.ID, date, s.Now())
	if err != nil {
		return err
	}
	e, err := s.Editions.Edition(r.Context(), me.Digest.Delivery(v.Edition))
	if err != nil {
		return err
	}
	s.tellDevice(w.Header(), me.User, nil)
	return sendJSON(w, "application/json", s.offlineNeeds(e, "/editions/"+date.String()))
}

// offlineNeeds lists the files of the edition at path.
func (s *site) offlineNeeds(e render.Edition, path string) offlineNeeds {
	needs := offlineNeeds{Pages: []string{}, Pictures: []string{}}
	var posts []*editionPost
	views := []bool{false}
	for _, section := range e.Sections {
		posts = append(posts, postsOf(section)...)
		if e.LayoutOf(section) != digest.Headlines {
			views = []bool{false, true} // the edition also has a headlines view
		}
	}
	for _, lines := range views {
		for part := 1; part == 1 || (part-1)*mostPosts < len(posts); part++ {
			needs.Pages = append(needs.Pages, editionPage{Path: path}.at(part, lines))
		}
	}
	for _, p := range posts[:min(len(posts), mostOfflinePosts)] {
		needs.Pages = append(needs.Pages, "/posts/"+strconv.FormatInt(int64(p.ID), 10))
		if s.images == nil {
			continue
		}
		found := []string{p.Picture.URL}
		if t, ok := p.WebText(2, true, e.PictureSizes); ok {
			found = append(found, pictureURLs(t.HTML)...)
		}
		for _, address := range found {
			at := strings.TrimPrefix(address, s.BaseURL)
			if strings.HasPrefix(at, "/image/") && !slices.Contains(needs.Pictures, at) &&
				len(needs.Pictures) < mostOfflinePictures {
				needs.Pictures = append(needs.Pictures, at)
			}
		}
	}
	return needs
}

// pictureURLs returns the addresses of the pictures in HTML of package render.
func pictureURLs(text string) (all []string) {
	z := html.NewTokenizer(strings.NewReader(text))
	for z.Next() != html.ErrorToken {
		t := z.Token()
		if t.Data != "img" {
			continue
		}
		for _, a := range t.Attr {
			if a.Key == "src" {
				all = append(all, a.Val)
			}
		}
	}
	return all
}
