package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"
)

// MaxPosts is how many posts of one document are stored.
const MaxPosts = 500

// maxRead is how many entries of a document are read at all.
const maxRead = 20_000

// some gives the text constructs with these numbers that are not empty.
func (s *skeleton) some(numbers ...string) []text {
	var out []text
	for _, n := range numbers {
		if n == "" {
			continue
		}
		if t := s.numbered(n); !t.empty() {
			out = append(out, t)
		}
	}
	return out
}

func firstPlain(s *skeleton, numbers ...string) string {
	for _, t := range s.some(numbers...) {
		if p := t.plain(); p != "" {
			return p
		}
	}
	return ""
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

func firstDate(all ...string) time.Time {
	for _, s := range all {
		if s == "" {
			continue
		}
		if t := parseDate(s); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// absolute resolves ref against the first base that makes it absolute.
func absolute(ref string, bases []string) string {
	for _, base := range bases {
		if !isWeb(base) {
			continue
		}
		if r := resolve(base, ref); isAbsolute(r) {
			return r
		}
	}
	return cleanAddress(ref)
}

var (
	mailThenName = regexp.MustCompile(`^(?:mailto:)?[^\s@()<>]+@[^\s@()<>]+\s*\(([^()]+(?:\([^()]*\)[^()]*)*)\)$`)
	nameThenMail = regexp.MustCompile(`^(.*?)\s*[(<\[]\s*(?:mailto:)?[^\s@()<>]+@[^\s@()<>]+\s*[)>\]]$`)
	nameOpenMail = regexp.MustCompile(`^(.+?),?\s+[^\s@()<>]+@[^\s@()<>]+\.[^\s@()<>]+$`)
	mailOpenName = regexp.MustCompile(`^[^\s@()<>]+@[^\s@()<>]+\.[^\s@()<>,]+,?\s+(?:-\s+)?(.+)$`)
)

// personName gives the name in "mail (name)", "name <mail>" and the like; the
// address alone where there is no name.
func personName(s string) string {
	s = plainLine(strings.ToValidUTF8(s[:min(len(s), 4*maxName)], ""), false)
	if n := strings.Count(s, "@"); n == 0 || n > 2 || len(s) > 2*maxName { // the forms below hold one address
		return s
	}
	for _, form := range []*regexp.Regexp{mailThenName, nameThenMail, nameOpenMail, mailOpenName} {
		if m := form.FindStringSubmatch(s); m != nil && strings.TrimSpace(m[1]) != "" {
			return strings.Trim(strings.TrimSpace(m[1]), `"`)
		}
	}
	return strings.TrimPrefix(strings.Trim(s, "<>()"), "mailto:")
}

func firstPerson(all []string) string {
	for _, s := range all {
		if s == "" {
			continue
		}
		if name := personName(s); name != "" {
			return name
		}
	}
	return ""
}

// complete fills in what follows from the entries together: titles, hashes,
// and identities, which may not use what several entries share. What the feed
// says of itself is kept within the bounds of what is stored.
func (d *Document) complete() {
	d.Title = shorten(d.Title, maxTitle)
	d.Description = shorten(d.Description, maxTitle)
	if len(d.Language) > maxLanguage {
		d.Language = ""
	}
	for _, address := range []*string{&d.Link, &d.Self} {
		if len(*address) > maxAddress {
			*address = ""
		}
	}
	for i := range d.Posts {
		e := &d.Posts[i]
		for _, t := range e.titles {
			if e.Title = t.plain(); e.Title != "" {
				break
			}
		}
		e.HasContent = len(e.bodies) > 0
		e.Hash = e.hash()
		e.feedLanguage, e.feedTitle = d.Language, d.Title
	}
	guids, links := map[string]int{}, map[string]int{}
	for i := range d.Posts {
		guids[d.Posts[i].GUID]++
		links[d.Posts[i].Link]++
	}
	for i := range d.Posts {
		e := &d.Posts[i]
		switch {
		case e.GUID != "" && guids[e.GUID] == 1:
			e.Identity = bounded(e.GUID)
		case e.Link != "" && links[e.Link] == 1:
			e.Identity = bounded(e.Link)
		default:
			e.Identity = e.byTitle()
		}
	}
}

// bounded gives a string that is no longer than a GUID may be: long ones by
// their hash.
func bounded(s string) string {
	if len(s) <= maxAddress {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// byTitle makes an identity of title and date; of the content where both are missing.
func (e *Post) byTitle() string {
	basis := e.Title + "\n" + e.Published.UTC().Format(time.RFC3339)
	if e.Title == "" && e.Published.IsZero() {
		basis = e.Link + "\n" + e.Hash
	}
	sum := sha256.Sum256([]byte(basis))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (e *Post) hash() string {
	h := sha256.New()
	for _, texts := range [][]text{e.titles, e.bodies} {
		for _, t := range texts {
			h.Write([]byte(t.raw))
			h.Write([]byte{0})
		}
		h.Write([]byte{1})
	}
	h.Write([]byte(e.Link))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Newest gives at most n entries in document order, each identity once: where
// there are more, those with the latest dates; undated ones count by their
// place, as if dated like the entry before them.
func (d *Document) Newest(n int) []Post {
	seen := make(map[string]bool, len(d.Posts))
	order := make([]int, 0, len(d.Posts))
	dates := make([]time.Time, len(d.Posts))
	var last time.Time
	for i := range d.Posts {
		if !d.Posts[i].Published.IsZero() {
			last = d.Posts[i].Published
		}
		dates[i] = last
		if id := d.Posts[i].Identity; !seen[id] {
			seen[id] = true
			order = append(order, i)
		}
	}
	if len(order) > n {
		slices.SortStableFunc(order, func(a, b int) int { return dates[b].Compare(dates[a]) })
		order = order[:n]
		slices.Sort(order)
	}
	out := make([]Post, 0, len(order))
	for _, i := range order {
		out = append(out, d.Posts[i])
	}
	return out
}
