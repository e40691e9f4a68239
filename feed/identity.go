package feed

import (
	"slices"
	"strings"
	"time"

	"digest"
)

// identify gives each post its identity. The repetitions of a post have the identity of the first. Posts that share a
// GUID, or have none, are known by their address; posts that share that too by title and date. An alias is the
// identity that the post had, or may get, in a document where it shares nothing.
func (d *Document) identify() {
	of := d.repetitions()
	guids, links := map[string]int{}, map[string]int{}
	for i, first := range of {
		if first == i {
			guids[d.Posts[i].GUID]++
			links[d.Posts[i].Link]++
		}
	}
	taken := make(map[string]bool, len(d.Posts))
	for i, first := range of {
		p := &d.Posts[i]
		if first != i {
			p.Identity, p.Alias = d.Posts[first].Identity, d.Posts[first].Alias
			continue
		}
		guid, ownLink := p.GUID, p.Link != "" && links[p.Link] == 1
		if isNoGUID(guid) {
			guid = ""
		}
		switch {
		case guid != "" && guids[guid] == 1:
			p.Identity = bounded(guid)
			if ownLink {
				p.Alias = bounded(p.Link)
			}
		case ownLink:
			p.Identity, p.Alias = bounded(p.Link), bounded(guid)
		default:
			p.Identity, p.Alias = p.byTitle(taken), bounded(guid)
		}
		taken[p.Identity] = true
	}
}

// A repetition is what two entries of a document have in common if they are one post. Its text, title and content are
// hashes or empty; at least one of them is set.
type repetition struct {
	guid, link           string
	published            time.Time
	title, text, content string
}

// repetitions returns for each post the index of the first that it repeats; its own if it repeats none. Two entries
// are one post in five cases:
//   - Content and date are the same, whatever their GUIDs.
//   - GUID, address, date, and title or text are the same.
//   - The GUIDs differ in a fragment, which counts edits; address, date and text are the same.
//   - Address, date and title are the same, and at most half of the document has that address.
//   - GUID and content are the same, and address or date are missing.
func (d *Document) repetitions() []int {
	crowds, links := make(map[repetition]int, len(d.Posts)), make(map[string]int, len(d.Posts))
	for i := range d.Posts {
		crowds[d.Posts[i].place()]++
		links[d.Posts[i].Link]++
	}
	first := make(map[repetition]int, len(d.Posts))
	of := make([]int, len(d.Posts))
	for i := range d.Posts {
		p := &d.Posts[i]
		of[i] = i
		all := p.repeated(crowds[p.place()] > 1)
		if n := links[p.Link]; n > 1 && 2*n <= len(d.Posts) && p.Link != "" && p.Title != "" && !p.Published.IsZero() {
			all = append(all, repetition{link: p.Link, published: p.Published, title: p.Title})
		}
		for _, r := range all {
			if j, ok := first[r]; ok {
				of[i] = j
				break
			}
		}
		for _, r := range all {
			if _, ok := first[r]; !ok {
				first[r] = of[i]
			}
		}
	}
	return of
}

// place returns what entries have in common that may be versions of one post: few share it.
func (p *Post) place() repetition {
	guid, _, _ := strings.Cut(p.GUID, "#")
	return repetition{guid: guid, link: p.Link, published: p.Published}
}

// repeated returns what makes another entry a repetition of this one.
func (p *Post) repeated(crowded bool) []repetition {
	all := []repetition{{guid: p.GUID, link: p.Link, published: p.Published, content: p.Hash}}
	if p.Link != "" || !p.Published.IsZero() {
		all = append(all, repetition{link: p.Link, published: p.Published, content: p.Hash})
	}
	if !crowded || p.GUID == "" || p.Link == "" || p.Published.IsZero() {
		return all
	}
	if p.Title != "" {
		all = append(all, repetition{guid: p.GUID, link: p.Link, published: p.Published, title: p.Title})
	}
	text := p.place()
	if text.text = (&Post{bodies: p.bodies}).hash(); len(p.bodies) == 0 {
		text.guid = p.GUID
	}
	return append(all, text)
}

// byTitle makes an identity of title and date that is not taken: of the content too where another post has both, or
// neither is known.
func (p *Post) byTitle(taken map[string]bool) string {
	basis := p.Title + "\n" + p.Published.UTC().Format(time.RFC3339)
	if p.Title == "" && p.Published.IsZero() {
		basis = p.Link + "\n" + p.Hash
	}
	if id := digest.HashedIdentity(basis); !taken[id] {
		return id
	}
	return digest.HashedIdentity(basis + "\n" + p.Hash)
}

// isNoGUID reports whether a GUID is a word that programs write for none.
func isNoGUID(guid string) bool {
	switch strings.ToLower(strings.Trim(guid, " \t\r\n-_/.#?()[]{}<>\"'")) {
	case "", "0", "n/a", "na", "none", "null", "nil", "undefined", "unknown", "false", "guid", "id", "nan", "empty",
		"00000000-0000-0000-0000-000000000000", "urn:uuid:00000000-0000-0000-0000-000000000000":
		return true
	}
	return false
}

// isClockZero reports whether a date is an instant from which programs count, in any time zone, and so means no date.
// These are the zeros of Unix, Windows, spreadsheets, the old Macintosh and FAT file systems.
func isClockZero(t time.Time) bool {
	const zones = 14 * time.Hour
	return slices.ContainsFunc([]time.Time{
		time.Unix(0, 0),
		time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC),
		time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC),
	}, func(zero time.Time) bool { return t.Sub(zero).Abs() <= zones })
}
