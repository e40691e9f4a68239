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
	"digest/web/page"

	"golang.org/x/net/html"
)

// The scripts in page/static/offline download, show and delete the editions for offline reading. The
// server lists what an edition needs, and identifies the signed-in reader with each page.

const (
	mostOfflineEditions = 7   // the latest editions
	mostOfflinePosts    = 300 // the first posts of an edition
	mostOfflinePictures = 300 // of the first posts of an edition
)

// worker serves the service worker. If offline reading is off, it serves a worker that deletes the
// stored pages and unregisters itself.
func (s *site) worker(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	script := s.Assets.Worker
	if !s.Offline {
		script = s.Assets.Withdrawn
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
		src, err := s.Assets.URL(icon.file)
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
func (s *site) offlinePage(w http.ResponseWriter, r *http.Request, _ page.Reader) error {
	if !s.Offline {
		return page.ErrNotFound
	}
	return s.Show(w, r, http.StatusOK, "offline", catalogue.Key("You’re offline"), nil)
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

func (s *site) offlineEditions(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	if !s.Offline {
		return page.ErrNotFound
	}
	list, err := s.Store.Editions.LatestEditions(r.Context(), me.Digest.ID, s.Now(), mostOfflineEditions)
	if err != nil {
		return err
	}
	all := offlineList{Editions: []offlineName{}}
	for _, e := range list {
		all.Editions = append(all.Editions,
			offlineName{e.LocalDate.String(), catalogue.Day("Monday 2 January 2006", e.LocalDate).In(s.Language(r))})
	}
	for _, file := range []string{page.StyleSheet, "digest.js", page.OfflineScript, "icon.svg"} {
		address, err := s.Assets.URL(file)
		if err != nil {
			return err
		}
		all.Files = append(all.Files, address)
	}
	s.TellDevice(w.Header(), me.User, nil)
	return sendJSON(w, "application/json", all)
}

// An offlineNeeds lists the pages and the pictures of one edition, in the order of its posts.
type offlineNeeds struct {
	Pages    []string `json:"pages"`
	Pictures []string `json:"pictures"`
}

func (s *site) offlineEdition(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil || !s.Offline {
		return page.ErrNotFound
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), me.Digest.ID, date, s.Now())
	if err != nil {
		return err
	}
	e, err := s.Editions.Edition(r.Context(), me.Digest.Delivery(v.Edition))
	if err != nil {
		return err
	}
	s.TellDevice(w.Header(), me.User, nil)
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
		if s.Pictures == nil {
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
