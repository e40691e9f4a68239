// Package demo holds the sites and readers of `digest demo`: a bundled day of
// sample feeds, served as they stood at an instant of that day.
package demo

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed samples
var samples embed.FS

// stamp is how the files of a site name the instant from which they are served.
const stamp = "20060102T150405Z"

// Begin is when the demo's readers subscribe: a Thursday morning.
func Begin() time.Time { return time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC) }

// A Reader is a person of the demo.
type Reader struct {
	Email string
	Zone  string
}

// Readers are three people whose midnights follow each other. Each reads all the sites.
func Readers() []Reader {
	return []Reader{
		{"yuki@example.org", "Asia/Tokyo"},
		{"greta@example.org", "Europe/Berlin"},
		{"bento@example.org", "America/Sao_Paulo"},
	}
}

// SiteNames lists the sample sites.
func SiteNames() []string {
	entries, err := samples.ReadDir("samples")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// Sites serves the sample sites as they stand at Now. Each lives below
// /NAME/ and has its feed at /NAME/feed.
type Sites struct {
	Base string // where the sites are reached, without a final slash
	Now  func() time.Time
}

// FeedURL is the address of a site's feed.
func (s *Sites) FeedURL(site string) string { return s.Base + "/" + site + "/feed" }

// ServeHTTP serves feeds with validators, pages and pictures.
func (s *Sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	site, rest, _ := strings.Cut(strings.TrimPrefix(path.Clean(r.URL.Path), "/"), "/")
	switch {
	case !slices.Contains(SiteNames(), site):
		http.NotFound(w, r)
	case rest == "feed":
		s.serveFeed(w, r, site)
	default:
		s.serveFile(w, r, site, page(site, rest), time.Time{})
	}
}

// page is the file behind an address: a picture, or else the site's one page,
// to which every post leads.
func page(site, rest string) string {
	name := path.Join("samples", site, rest)
	info, err := fs.Stat(samples, name)
	if err != nil || info.IsDir() || publishedAt(name) != (time.Time{}) {
		return path.Join("samples", site, "index.html")
	}
	return name
}

// publishedAt is the instant a file's name states; zero if it states none.
func publishedAt(name string) time.Time {
	base := path.Base(name)
	at, err := time.Parse(stamp, strings.TrimSuffix(base, path.Ext(base)))
	if err != nil {
		return time.Time{}
	}
	return at
}

// serveFeed serves the newest version published by now, or the trouble the site is in.
func (s *Sites) serveFeed(w http.ResponseWriter, r *http.Request, site string) {
	name := s.version(site)
	if path.Ext(name) != ".status" {
		s.serveFile(w, r, site, name, publishedAt(name))
		return
	}
	text, _ := samples.ReadFile(name)
	status, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		status = http.StatusInternalServerError
	}
	http.Error(w, http.StatusText(status), status)
}

// version finds the file that a site's feed is at this instant.
func (s *Sites) version(site string) (name string) {
	files, _ := samples.ReadDir(path.Join("samples", site)) // sorted by name, and so by time
	for _, f := range files {
		if at := publishedAt(f.Name()); !at.IsZero() && !at.After(s.Now()) {
			name = path.Join("samples", site, f.Name())
		}
	}
	return name
}

func (s *Sites) serveFile(w http.ResponseWriter, r *http.Request, site, name string, modified time.Time) {
	content, err := samples.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if mediaType := mediaTypes()[path.Ext(name)]; mediaType != "" {
		content = bytes.ReplaceAll(content, []byte("{{SITE}}"), []byte(s.Base+"/"+site))
		w.Header().Set("Content-Type", mediaType)
	}
	sum := sha256.Sum256(content)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sum[:8]))
	http.ServeContent(w, r, path.Base(name), modified, bytes.NewReader(content))
}

// mediaTypes are those of the files that name their own site.
func mediaTypes() map[string]string {
	return map[string]string{
		".xml":  "application/xml; charset=utf-8",
		".json": "application/feed+json",
		".html": "text/html; charset=utf-8",
		".svg":  "image/svg+xml",
	}
}
