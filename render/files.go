package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A File is an enclosure of a post as a link.
type File struct {
	Label string // "Listen · 43 min"
	Facts string // "MP3, 41 MB"; may be empty
	URL   string
	Sound bool
	Quiet bool // in HTML, part of the byline

	film     bool
	chapters []digest.Chapter
}

// A Chapter is a part of a file, as a link to its beginning.
type Chapter struct {
	At    string // "12:42", from the beginning of the file
	Title string // one line, plain
	URL   string
}

// mostFiles limits the files of a post; the author's page has all of them.
const mostFiles = 4

// filesOf returns the files of a post except pictures, which belong to its text. Sound and films come first, and a
// transcript follows its file.
func (r *Renderer) filesOf(all []digest.Enclosure) []File {
	var out []File
	all = slices.SortedStableFunc(slices.Values(all),
		func(a, b digest.Enclosure) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	for _, e := range all {
		medium, url := e.Medium(), address(e.URL)
		if medium == digest.Picture || url == "" || len(out) >= mostFiles {
			continue
		}
		out = append(out, File{Label: r.Say(FileLabel(e)), Facts: r.lang.Text(FileFacts(e)), URL: url,
			Sound: medium == digest.Sound, film: medium == digest.Film, chapters: e.ChapterList})
		if words := address(e.Transcript); words != "" {
			out = append(out, File{Label: r.Say(catalogue.Key("Transcript")), URL: words})
		}
	}
	numberAlike(out)
	return out
}

// numberAlike numbers files with equal labels and facts, to distinguish them.
func numberAlike(files []File) {
	alike := func(a, b File) bool { return a.Label == b.Label && a.Facts == b.Facts }
	labels := make([]string, len(files))
	for i, f := range files {
		same, before := 0, 0
		for j, g := range files {
			if alike(f, g) {
				if same++; j < i {
					before++
				}
			}
		}
		if labels[i] = f.Label; same > 1 {
			labels[i] = strconv.Itoa(before+1) + ". " + f.Label
		}
	}
	for i := range files {
		files[i].Label = labels[i]
	}
}

// Chapters returns the chapters of a file for a page. Players start at the time in a link's fragment (Media Fragments
// URI 1.0 §4.2.1).
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

// clockWords formats a number of seconds as players do: "0:42", "1:02:03".
func clockWords(seconds int64) string {
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	if h == 0 {
		return fmt.Sprintf("%d:%02d", m, s)
	}
	return fmt.Sprintf("%d:%02d:%02d", h, m, s)
}

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

type fileData struct {
	Label, Facts, URL string
	More              bool // another file follows
}

// filesHTML returns the files of a post, one on each line, or nil if it has none.
func (p *Post) filesHTML() *pieces {
	files := slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool { return f.Quiet })
	if len(files) == 0 {
		return nil
	}
	all := &pieces{}
	for i, f := range files {
		p.r.file.write(all, fileData{f.Label, f.Facts, f.URL, i+1 < len(files)})
	}
	return all
}

// filesText returns the files of a post for the text version. Each line begins with indent.
func filesText(p *Post, indent string) string {
	var w strings.Builder
	for _, f := range p.Files {
		words := f.Label
		if f.Facts != "" {
			words += " (" + f.Facts + ")"
		}
		w.WriteString(indent + p.r.label(words) + "\n" + indent + f.URL + "\n")
	}
	return w.String()
}
