package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"digest"
)

// A File is what a post comes with, as a link: sound, film, a paper to read.
type File struct {
	Label string // "Listen · 43 min"
	URL   string // absolute http(s)
	Sound bool   // it is heard

	chapters []digest.Chapter
}

// A Chapter is a part of a file, as a link to where it begins.
type Chapter struct {
	At    string // "12:42", from the beginning
	Title string // one line, plain
	URL   string // absolute http(s)
}

// mostFiles is how many files of a post are shown; the author's page has them all.
const mostFiles = 4

// files are those of a post that are no pictures, which belong to its text: first what is
// heard or watched; a transcript stands behind the file that it is of.
func files(all []digest.Enclosure) []File {
	var out []File
	all = slices.SortedStableFunc(slices.Values(all), func(a, b digest.Enclosure) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	for _, e := range all {
		medium, url := e.Medium(), address(e.URL)
		if medium == digest.Picture || url == "" || len(out) >= mostFiles {
			continue
		}
		out = append(out, File{fileLabel(e), url, medium == digest.Sound, e.ChapterList})
		if words := address(e.Transcript); words != "" {
			out = append(out, File{Label: "Transcript", URL: words})
		}
	}
	return out
}

// Chapters are the chapters of a file, for a page; players begin where a link's fragment
// says (Media Fragments URI 1.0 §4.2.1).
func (f File) Chapters() []Chapter {
	url, _, _ := strings.Cut(f.URL, "#")
	var all []Chapter
	for _, c := range f.chapters {
		if title := clean(c.Title, titleColumns); title != "" {
			all = append(all, Chapter{clockWords(c.Start), title, url + "#t=" + strconv.FormatInt(c.Start, 10)})
		}
	}
	return all
}

// clockWords is a number of seconds as players show it: "0:42", "1:02:03".
func clockWords(seconds int64) string {
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	if h == 0 {
		return fmt.Sprintf("%d:%02d", m, s)
	}
	return fmt.Sprintf("%d:%02d:%02d", h, m, s)
}

// tidyLinks bounds and cleans links; one that leads nowhere is left out.
func tidyLinks(links []File) (out []File) {
	for _, f := range links {
		if f.URL, f.Label = address(f.URL), clean(f.Label, siteColumns); f.URL != "" && len(out) < mostFiles {
			out = append(out, f)
		}
	}
	return out
}

func placeOf(e digest.Enclosure) int {
	if m := e.Medium(); m == digest.Sound || m == digest.Film {
		return 0
	}
	return 1
}

// fileLabel says what can be done with a file, and how long that takes; where nobody
// says, how large it is.
func fileLabel(e digest.Enclosure) string {
	words, more := fileKind(e), ""
	if e.Length > 0 {
		more = bytesWords(e.Length)
	}
	if m := e.Medium(); m == digest.Sound || m == digest.Film {
		if e.Seconds > 0 {
			more = lengthWords(e.Seconds)
		}
		if more != "" {
			more = " · " + more
		}
		return words + more
	}
	if more != "" {
		more = ", " + more
	}
	return words + more
}

// fileKind is what is done with a file, or what it is.
func fileKind(e digest.Enclosure) string {
	switch e.Medium() {
	case digest.Sound:
		return "Listen"
	case digest.Film:
		return "Watch"
	}
	kind := e.Ending()
	if _, sub, found := strings.Cut(e.Type, "/"); found && e.Type != "application/octet-stream" {
		kind, _, _ = strings.Cut(strings.ToLower(sub), ";")
	}
	switch kind {
	case "pdf", "epub", "zip", "csv":
		return strings.ToUpper(kind)
	case "epub+zip":
		return "EPUB"
	case "x-bittorrent", "torrent":
		return "Torrent"
	}
	return "File"
}

// lengthWords is a number of seconds: "43 min", "1 h 12".
func lengthWords(seconds int64) string {
	minutes := max(1, (seconds+30)/60)
	hours, minutes := minutes/60, minutes%60
	switch {
	case hours == 0:
		return strconv.FormatInt(minutes, 10) + " min"
	case minutes == 0:
		return strconv.FormatInt(hours, 10) + " h"
	}
	return fmt.Sprintf("%d h %02d", hours, minutes)
}

// bytesWords is a number of bytes: "850 KB", "2 MB", "1.2 GB".
func bytesWords(n int64) string {
	switch {
	case n < 999_500:
		return strconv.FormatInt(max(1, (n+500)/1000), 10) + " KB"
	case n < 999_500_000:
		return strconv.FormatInt((n+500_000)/1_000_000, 10) + " MB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64), ".0") + " GB"
}

// fileData is what the template of a file is filled with.
type fileData struct {
	Label, URL string
	More       bool // another one stands behind it
}

// filesHTML are the files of a post, a line each; nil if it has none.
func (p *Post) filesHTML() *pieces {
	if len(p.Files) == 0 {
		return nil
	}
	all := &pieces{}
	for i, f := range p.Files {
		p.r.file.write(all, fileData{f.Label, f.URL, i+1 < len(p.Files)})
	}
	return all
}

// filesText are the files of a post in a plain text, each line after indent.
func filesText(p *Post, indent string) string {
	var w strings.Builder
	for _, f := range p.Files {
		w.WriteString(indent + f.Label + ":\n" + indent + f.URL + "\n")
	}
	return w.String()
}
