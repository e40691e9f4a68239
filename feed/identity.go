package feed

import (
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"digest"
)

// identify sets the identity of each post. Repetitions of a post get the identity of the first. A post with a unique
// GUID uses it; otherwise it uses its address if that is unique, then its title and date, and finally the content
// too. The alias is a second such identity: it finds the stored post if posts begin or cease to share the first.
func (d *Document) identify() {
	of := d.repetitions()
	guids, links := map[string]int{}, map[string]int{}
	for i, first := range of {
		if first == i {
			guids[d.Posts[i].GUID]++
			links[d.Posts[i].Link]++
		}
	}
	titles := make(map[string]int)
	for i, first := range of {
		p := &d.Posts[i]
		if first != i {
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
			p.Identity, p.Alias = p.byTitle(), bounded(guid)
			titles[p.Identity]++
		}
	}
	for i, first := range of {
		p := &d.Posts[i]
		if first == i && titles[p.Identity] > 1 {
			p.Alias, p.Identity = p.Identity, digest.HashedIdentity(p.Identity+p.Hash)
		}
	}
	for i, first := range of {
		d.Posts[i].Identity, d.Posts[i].Alias = d.Posts[first].Identity, d.Posts[first].Alias
	}
}

// A sameness is a hash of the values that two entries share if they are the same post.
type sameness uint64

// sameAs returns a hash of a date and texts; the first text names the rule.
func sameAs(seed maphash.Seed, published time.Time, texts ...string) sameness {
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, published.Unix())
	for _, t := range texts {
		maphash.WriteComparable(&h, t)
	}
	return sameness(h.Sum64())
}

// repetitions returns for each post the index of the first post that it repeats; its own index if it repeats none.
// Two entries are the same post in five cases:
//   - Content and date are equal, whatever their GUIDs.
//   - GUID, address, date, and title or text are equal.
//   - The GUIDs differ only in a fragment, which counts edits; address, date and text are equal.
//   - Address, title and date are equal; without a date, the text too. At most half of the document has that address.
//   - GUID and content are equal, and they have neither address nor date.
func (d *Document) repetitions() []int {
	seed := maphash.MakeSeed()
	crowds := make(map[sameness]int, 3*len(d.Posts))
	for i := range d.Posts {
		p := &d.Posts[i]
		crowds[p.place(seed)]++
		crowds[p.headline(seed)]++
		crowds[sameAs(seed, time.Time{}, "link", p.Link)]++
	}
	first := make(map[sameness]int, 2*len(d.Posts))
	of := make([]int, len(d.Posts))
	for i := range d.Posts {
		p := &d.Posts[i]
		of[i] = i
		all := p.repeated(seed, crowds[p.place(seed)] > 1)
		isPage := p.Link != "" && 2*crowds[sameAs(seed, time.Time{}, "link", p.Link)] <= len(d.Posts)
		if isPage && p.Title != "" && crowds[p.headline(seed)] > 1 {
			all = append(all, p.headlineAt(seed))
		}
		for _, same := range all {
			if j, ok := first[same]; ok {
				of[i] = j
				break
			}
		}
		for _, same := range all {
			if _, ok := first[same]; !ok {
				first[same] = of[i]
			}
		}
	}
	return of
}

// place hashes address, date, and the GUID without its fragment. Entries that share them are usually versions of one
// post.
func (p *Post) place(seed maphash.Seed) sameness {
	guid, _, _ := strings.Cut(p.GUID, "#")
	return sameAs(seed, p.Published, "place", guid, p.Link)
}

// headline hashes title and date, which few entries share.
func (p *Post) headline(seed maphash.Seed) sameness {
	return sameAs(seed, p.Published, "headline", p.Title)
}

// headlineAt hashes title, date and the address without tracking parameters; without a date, the text too.
func (p *Post) headlineAt(seed maphash.Seed) sameness {
	text := ""
	if p.Published.IsZero() {
		text = p.textHash()
	}
	return sameAs(seed, p.Published, "page", p.Title, bareAddress(CleanURL(p.Link)), text)
}

// repeated returns the hashes that identify a repetition of p; crowded: other entries have the same place.
func (p *Post) repeated(seed maphash.Seed, crowded bool) []sameness {
	all := []sameness{sameAs(seed, p.Published, "content", p.Hash)}
	if p.Link == "" && p.Published.IsZero() {
		all[0] = sameAs(seed, p.Published, "GUID and content", p.GUID, p.Hash)
	}
	if !crowded || p.GUID == "" || p.Link == "" || p.Published.IsZero() {
		return all
	}
	if p.Title != "" {
		all = append(all, sameAs(seed, p.Published, "title", p.GUID, p.Link, p.Title))
	}
	guid := p.GUID
	if len(p.bodies) > 0 {
		guid, _, _ = strings.Cut(guid, "#")
	}
	return append(all, sameAs(seed, p.Published, "text", guid, p.Link, p.textHash()))
}

func (p *Post) textHash() string { return (&Post{bodies: p.bodies}).hash() }

// byTitle returns an identity from title and date; if both are missing, from address and content.
func (p *Post) byTitle() string {
	basis := p.Title + "\n" + p.Published.UTC().Format(time.RFC3339)
	if p.Title == "" && p.Published.IsZero() {
		basis = p.Link + "\n" + p.Hash
	}
	return digest.HashedIdentity(basis)
}

// isNoGUID reports whether a GUID is a placeholder for none.
func isNoGUID(guid string) bool {
	guid = strings.ToLower(strings.Trim(guid, " \t\r\n-_/.#?()[]{}<>\"'"))
	return guid == "" || noGUIDs[guid]
}

var noGUIDs = setOf(`0 n/a na none null nil undefined unknown false guid id nan empty
	00000000-0000-0000-0000-000000000000 urn:uuid:00000000-0000-0000-0000-000000000000`)

// isClockZero reports whether a date is the zero of a clock in any time zone, and therefore means no date. The clocks
// are Unix, Windows, spreadsheets, classic Mac OS and FAT.
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
