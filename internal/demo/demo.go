// Package demo contains the sites and readers of `digest demo`: sample feeds of one day, served as they were at an
// instant of that day.
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

// stamp is the format of the publication time in the names of a site's files.
const stamp = "20060102T150405Z"

// Begin returns the time at which the demo's readers subscribe: a Thursday morning.
func Begin() time.Time { return time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC) }

// A Reader is a person of the demo.
type Reader struct {
	Email string
	Zone  string
}

// Readers returns three people whose midnights follow each other. Each reads all sites.
func Readers() []Reader {
	return []Reader{
		{"yuki@example.org", "Asia/Tokyo"},
		{"greta@example.org", "Europe/Berlin"},
		{"bento@example.org", "America/Sao_Paulo"},
	}
}

// SiteNames returns the names of the sample sites.
func SiteNames() []string {
	entries, err := samples.ReadDir("samples")
	if err != nil {
		panic(err) // the files are embedded
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// Sites serves the sample sites as they are at Now. A site is at /NAME/ and its feed at /NAME/feed.
type Sites struct {
	Base string // base URL of all sites, without a final slash
	Now  func() time.Time
}

// FeedURL returns the address of a site's feed.
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

// page returns the file for an address: a picture, or the site's only page, which is the target of every post.
func page(site, rest string) string {
	name := path.Join("samples", site, rest)
	info, err := fs.Stat(samples, name)
	if err != nil || info.IsDir() || publishedAt(name) != (time.Time{}) {
		return path.Join("samples", site, "index.html")
	}
	return name
}

func publishedAt(name string) time.Time {
	base := path.Base(name)
	at, err := time.Parse(stamp, strings.TrimSuffix(base, path.Ext(base)))
	if err != nil {
		return time.Time{}
	}
	return at
}

// serveFeed serves the newest version published by now, or the error status in its place.
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

// version returns the current file of a site's feed.
func (s *Sites) version(site string) (name string) {
	files, _ := samples.ReadDir(path.Join("samples", site)) // sorted by name, which is by time
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

// mediaTypes returns the types of files that contain the address of their site.
func mediaTypes() map[string]string {
	return map[string]string{
		".xml":  "application/xml; charset=utf-8",
		".json": "application/feed+json",
		".html": "text/html; charset=utf-8",
		".svg":  "image/svg+xml",
	}
}
