package render

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// Limits of the displayed notices. Without posts, an email shows as many notices as fit. The web edition has all of
// them.
const (
	noticeColumns = 240
	maxNotices    = 5
	maxOnlyNotes  = 60
	noticeRoom    = 48_000 // bytes of all notices, in either encoding

	addressColumns = 400 // exceeds the result of digest.AddressShown
)

// A Notice informs a reader about a feed, for example that posts may be missing.
type Notice struct {
	Text  string // one or two sentences, plain text
	Moved        // zero unless the feed has moved

	Links []NoticeLink  // at most two
	Trial digest.FeedID // the feed whose trial the notice asks about; 0: none
}

// A NoticeLink is a link to a page related to a notice.
type NoticeLink struct {
	URL   string // absolute http(s)
	Words catalogue.Sayable
}

// Moved describes the move of a feed, with a link to undo it.
type Moved struct {
	FeedID   digest.FeedID
	From, To string // its addresses for display
	BackURL  string // page to undo the move, absolute http(s)
}

// Means returns the second sentence of the notice, which explains the effect of the move. It returns nil if the feed
// has not moved.
func (m Moved) Means() catalogue.Sayable {
	if m.To == "" {
		return nil
	}
	return catalogue.Key("From now on, you’ll get the posts from the new address.")
}

// SiteName returns the name of a site within a sentence: its title on one short line, or else its host. It isolates a
// name from right to left, so that the words around it keep their order.
func SiteName(title, address string) string {
	name := cmp.Or(clean(title, siteColumns), clean(hostAndPort(address), siteColumns), "a site without a name")
	if strings.ContainsFunc(name, rightToLeft) {
		return isolated(name)
	}
	return name
}

// TrialQuestion asks whether to keep a site after its trial. The links behind it are the answers.
func TrialQuestion(title, address string) catalogue.Sayable {
	return catalogue.Key("You have tried %s for two weeks.").With(SiteName(title, address))
}

// LinkChange describes a change by a link in an email. It writes days in the zone; nil is UTC.
func LinkChange(c digest.LinkChange, zone *time.Location) catalogue.Sayable {
	if zone == nil {
		zone = time.UTC
	}
	return catalogue.LinkChange(c, SiteName(cmp.Or(c.Title, DefaultName), ""), zone)
}

func hostAndPort(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

type noted struct {
	all   int // including those only in the web edition
	lines []Notice
}

// tidyNotices cleans and limits notices. alone means that there are no posts.
func (r *Renderer) tidyNotices(in []Notice, alone bool) noted {
	var lines []Notice
	for _, n := range in {
		if n.Text = cleanNotice(n.Text); n.Text != "" {
			n.From, n.To, n.BackURL = clean(n.From, addressColumns), clean(n.To, addressColumns), address(n.BackURL)
			var links []NoticeLink
			for _, l := range n.Links {
				if l.URL = address(l.URL); l.URL != "" {
					links = append(links, l)
				}
			}
			n.Links = links
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

// fitting returns how many notices are shown: all, or fewer so that they fit together with the line that counts the
// rest.
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

// cleanNotice cleans a text, but keeps the pairs of marks from SiteName.
func cleanNotice(s string) string {
	return paired(cut(scrub(s, func(r rune) bool { return dropped(r) && r != isolate && r != endIsolate }),
		noticeColumns))
}

// paired drops end marks without a start mark and closes an open one.
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

// noticeData is the data of the template of a notice, and movedData of the part below a moved feed's notice.
type (
	noticeData struct {
		Text, Means          string
		LinkURL, LinkWords   string
		OtherURL, OtherWords string // of a second link
		Alone                bool   // there are no posts
		Goes                 bool   // more text follows
	}
	movedData struct {
		From, To, BackURL string
		Alone             bool
	}
)

// notesHTML returns the notices, below the posts or instead of them, or nil if there are no notices.
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
	data := noticeData{Text: n.Text, Means: r.lang.Text(n.Means()), Alone: alone, Goes: n.BackURL != ""}
	if len(n.Links) > 0 {
		data.LinkURL, data.LinkWords = n.Links[0].URL, r.lang.Text(n.Links[0].Words)
	}
	if len(n.Links) > 1 {
		data.OtherURL, data.OtherWords = n.Links[1].URL, r.lang.Text(n.Links[1].Words)
	}
	r.notice.write(to, data)
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
		for _, l := range n.Links {
			text.WriteString(m.r.label(m.r.Say(l.Words)) + "\n" + l.URL + "\n\n")
		}
		if n.BackURL != "" {
			text.WriteString(m.r.label(m.r.Say(catalogue.Key("Old address"))) + "\n" + n.From + "\n" +
				m.r.label(m.r.Say(catalogue.Key("New address"))) + "\n" + n.To + "\n" +
				m.r.label(m.r.Say(catalogue.Key("Use the old address again"))) + "\n" + n.BackURL + "\n\n")
		}
	}
	return text.String()
}

// summary counts the content: "12 posts from 7 sites", or "2 notes" if there are no posts.
func (m *mail) summary() string {
	if m.posts == 0 && m.notes.all > 0 {
		return m.r.Say(catalogue.Key("%d notices").With(m.notes.all))
	}
	if m.Newsletter && len(m.sites()) == 1 { // readers of a newsletter know its only site
		return m.r.Say(catalogue.Key("%d posts").With(m.posts + m.left))
	}
	return m.r.Say(Count(m.posts+m.left, len(m.sites())))
}
