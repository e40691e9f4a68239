package render

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// How much of Notices is shown: few beneath posts, and as many as a mail has
// room for where there is nothing else to read. The web edition has them all.
const (
	noticeColumns = 240
	maxNotices    = 5
	maxOnlyNotes  = 60
	noticeRoom    = 48_000 // bytes of all of them together, however they are encoded

	addressColumns = 400 // more than digest.AddressShown gives
)

// A Notice is what an edition tells its reader of a feed, e.g. that posts may be
// missing.
type Notice struct {
	Text  string // a sentence or two, plain
	Moved        // the zero one, unless the feed has moved

	LinkURL   string // of a page that belongs to it, absolute http(s); "": no page
	LinkWords catalogue.Sayable
}

// Moved is where a feed has moved, and the way back.
type Moved struct {
	FeedID   digest.FeedID
	From, To string // its addresses, as they are shown
	BackURL  string // of the page on which a reader goes back, absolute http(s)
}

// Means says what a move means to a reader, as the second sentence of its notice; nil: it has not moved.
func (m Moved) Means() catalogue.Sayable {
	if m.To == "" {
		return nil
	}
	return catalogue.Key("From now on you get what is published there.")
}

// SiteName is a site as a sentence speaks of it: its title on one short line,
// else its host. One that runs from right to left is set apart, so that the
// words and figures around it keep their places.
func SiteName(title, address string) string {
	name := cmp.Or(clean(title, siteColumns), clean(hostOf(address), siteColumns), "a site without a name")
	if strings.ContainsFunc(name, rightToLeft) {
		return isolated(name)
	}
	return name
}

// LinkChange describes a change by a link in an email. It writes days in the zone; nil is UTC.
func LinkChange(c digest.LinkChange, zone *time.Location) catalogue.Sayable {
	if zone == nil {
		zone = time.UTC
	}
	return catalogue.LinkChange(c, SiteName(cmp.Or(c.Title, DefaultName), ""), zone)
}

// hostOf is the host of an address, with its port; empty if there is none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// noted is the notices of an edition as they are shown.
type noted struct {
	all   int // with those that are only in the web edition
	lines []Notice
}

// tidyNotices cleans and bounds notices; alone says that there are no posts.
func (r *Renderer) tidyNotices(in []Notice, alone bool) noted {
	var lines []Notice
	for _, n := range in {
		if n.Text = cleanNotice(n.Text); n.Text != "" {
			n.From, n.To, n.BackURL = clean(n.From, addressColumns), clean(n.To, addressColumns), address(n.BackURL)
			n.LinkURL = address(n.LinkURL)
			lines = append(lines, n)
		}
	}
	most := maxNotices
	if alone {
		most = maxOnlyNotes
	}
	all := len(lines)
	if shown := r.fitting(lines, most); shown < all {
		lines = append(lines[:shown:shown],
			Notice{Text: r.lang.Sentence(catalogue.Key("%d more on the web").With(all - shown))})
	}
	return noted{all, lines}
}

// fitting is how many of lines are shown: all, or so many that with the line
// that counts the rest they are most, or fewer where they are heavy.
func (r *Renderer) fitting(lines []Notice, most int) int {
	shown := len(lines)
	if shown > most {
		shown = most - 1
	}
	room := noticeRoom
	for i, n := range lines[:shown] {
		var all pieces
		r.writeNotice(&all, n, false)
		if room -= all.size().coded; room < 0 {
			return i
		}
	}
	return shown
}

// cleanNotice is clean, but for the pairs of marks that SiteName sets.
func cleanNotice(s string) string {
	return paired(cut(scrub(s, func(r rune) bool { return dropped(r) && r != isolate && r != endIsolate }),
		noticeColumns))
}

// paired drops every mark that has no partner, or closes it.
func paired(s string) string {
	var b strings.Builder
	open := false
	for _, r := range s {
		if r == isolate && open || r == endIsolate && !open {
			continue
		}
		if r == isolate || r == endIsolate {
			open = !open
		}
		b.WriteRune(r)
	}
	if open {
		b.WriteRune(endIsolate)
	}
	return b.String()
}

// noticeData is what the template of a notice is filled with, and movedData that
// of what stands below one of a feed that has moved.
type (
	noticeData struct {
		Text, Means        string
		LinkURL, LinkWords string
		Alone              bool // there are no posts
		Goes               bool // there is more below it
	}
	movedData struct {
		From, To, BackURL string
		Alone             bool
	}
)

// notesHTML is the notices: as what there is to read, or beneath the posts; nil
// for none.
func (m *mail) notesHTML() *pieces {
	if len(m.notes.lines) == 0 {
		return nil
	}
	all := &pieces{}
	for _, n := range m.notes.lines {
		m.r.writeNotice(all, n, m.posts == 0)
	}
	return all
}

func (r *Renderer) writeNotice(to *pieces, n Notice, alone bool) {
	r.notice.write(to, noticeData{n.Text, r.lang.Text(n.Means()), n.LinkURL, r.lang.Text(n.LinkWords), alone,
		n.BackURL != ""})
	if n.BackURL != "" {
		r.moved.write(to, movedData{n.From, n.To, n.BackURL, alone})
	}
}

func (m *mail) notesText() string {
	var text strings.Builder
	if m.posts > 0 && len(m.notes.lines) > 0 {
		text.WriteString(ruleText + m.r.Say(catalogue.Key("Notices")) + "\n\n")
	}
	for _, n := range m.notes.lines {
		text.WriteString(wrapped(strings.TrimSpace(n.Text+" "+m.r.lang.Text(n.Means()))) + "\n")
		if n.LinkURL != "" {
			text.WriteString(m.r.label(m.r.Say(n.LinkWords)) + "\n" + n.LinkURL + "\n\n")
		}
		if n.BackURL != "" {
			text.WriteString(m.r.label(m.r.Say(catalogue.Key("Old address"))) + "\n" + n.From + "\n" +
				m.r.label(m.r.Say(catalogue.Key("New address"))) + "\n" + n.To + "\n" +
				m.r.label(m.r.Say(catalogue.Key("Use the old address again"))) + "\n" + n.BackURL + "\n\n")
		}
	}
	return text.String()
}

// summary says what there is: "12 posts from 7 sites", or "2 notes" where there
// is nothing else.
func (m *mail) summary() string {
	if m.posts == 0 && m.notes.all > 0 {
		return m.r.Say(catalogue.Key("%d notices").With(m.notes.all))
	}
	if m.Newsletter && len(m.Sections) == 1 { // that it is one site nobody needs to be told
		return m.r.Say(catalogue.Key("%d posts").With(m.posts + m.left))
	}
	return m.r.Say(Count(m.posts+m.left, len(m.Sections)))
}
