package render

import (
	"cmp"
	"fmt"
	"html"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// Mail renders an edition. HTML and Text are UTF-8 with LF line ends. HTML has less than 95,000 bytes, and less than
// 100,000 in quoted-printable, because mail clients clip longer messages.
//
// If an edition is too large, it loses detail in this order:
//   - Full texts are cut at the end of a paragraph, all at about the same length. Then they become excerpts with a link
//     to the rest.
//   - Excerpts become shorter and lose their pictures. The first posts of each section lose them last.
//   - Posts become headlines, beginning with the sites with the most posts.
//   - Headlines move to the web edition, first the later posts of the sites with the most posts, then sites in turn. The
//     email names these sites.
func (r *Renderer) Mail(e Edition) (Message, error) {
	m, err := r.newMail(e)
	if err != nil {
		return Message{}, err
	}
	p := m.fit()
	html, text := m.join(p)
	return Message{
		Subject: m.subject, HTML: html.join().decoded(), Text: text.join().decoded(), Shown: p.shown,
		Omitted: m.omitted(p),
	}, nil
}

// EncodedMail is like Mail, but the result is encoded for the body of a message. The encoded posts are cached and
// shared by all readers.
func (r *Renderer) EncodedMail(e Edition) (EncodedMessage, error) {
	m, err := r.newMail(e)
	if err != nil {
		return EncodedMessage{}, err
	}
	html, text := m.join(m.fit())
	n := len(m.frame.list) + 2*(6*m.posts+3*len(m.Sections))
	return EncodedMessage{m.subject, html.blocks(make([]string, 0, n)), text.blocks(make([]string, 0, n))}, nil
}

// A mail is an edition that is being rendered as a message.
type mail struct {
	Edition
	r       *Renderer
	posts   int
	left    int                    // number of posts only in the web edition
	most    []depth                // for each section's posts if there is room
	deepest depth                  // the maximum of most
	linked  map[*sectionParts]bool // by the contents

	notes   noted
	subject string
	deck    string // "12 posts from 7 sites, 1 note"
	date    string
	data    editionData
	frame   pieces // everything except the sections and posts, which are in data.Posts
}

type editionData struct {
	FullText                              bool // the edition may contain full texts
	Title, Leads                          string
	Name, NameDir, NameLang, Date, Number string
	Symbol, Wordmark                      string // address of a logo above the name, or in its place
	LogoWidth, LogoHeight                 string
	LogoClear                             bool
	Deck, Note                            string
	Header, Footer                        *pieces
	Contents, Posts                       *pieces
	Opened                                bool // there is something above the posts
	Nothing                               bool // no posts and no notes
	Notes                                 *pieces
	Alone                                 bool // notes, but no posts
	Reason                                string
	WebURL, HomeURL, UnsubscribeURL       string
	SitesURL, SettingsURL, PauseURL       string
	HomeWords                             string
	PostalAddress                         string
}

type moreData struct {
	URL, Count string
	After      string  // a sentence below; may be empty
	Sites      *pieces // with posts only on the web
}

func (r *Renderer) newMail(e Edition) (*mail, error) {
	r = r.In(e.Colours).Speaking(e.Language)
	m := &mail{Edition: e, r: r}
	if err := m.tidy(); err != nil {
		return nil, fmt.Errorf("rendering the edition of %s: %w", e.Date, err)
	}
	for i := range m.Sections {
		m.posts += m.Sections[i].count()
		m.left += m.Sections[i].Left
	}
	m.setMost()
	m.notes = r.tidyNotices(e.Notices, m.posts == 0)
	m.deck = m.summary()
	title := r.lang.Heading(catalogue.Key("%s: %s").With(e.day(), m.deck))
	if m.posts > 0 && m.notes.all > 0 {
		m.deck = r.Say(catalogue.Key("%s, %s").With(m.deck, catalogue.Key("%d notices").With(m.notes.all)))
	}
	m.subject = m.subjectOr(title)
	m.date = r.lang.Heading(e.Dateline())
	m.setFrame(title)
	return m, nil
}

// tidy cleans and limits the text around the posts. It rejects an edition without a way to unsubscribe.
func (m *mail) tidy() error {
	if m.Date.IsZero() {
		return fmt.Errorf("it has no date")
	}
	for _, u := range []struct {
		name     string
		value    *string
		required bool
	}{{"unsubscribe", &m.UnsubscribeURL, true}, {"home", &m.HomeURL, true}, {"web edition", &m.WebURL, false},
		{"logo", &m.LogoURL, false}, {"sites", &m.SitesURL, false}, {"settings", &m.SettingsURL, false},
		{"pause", &m.PauseURL, false}} {
		clean := address(*u.value)
		if clean == "" && (u.required || *u.value != "") {
			return fmt.Errorf("its %s link %q is not an http(s) address", u.name, *u.value)
		}
		*u.value = clean
	}
	m.Name = cmp.Or(clean(m.Name, nameColumns), DefaultName)
	m.Recipient = clean(m.Recipient, recipientColumns)
	m.PostalAddress = clean(m.PostalAddress, postalColumns)
	m.Note = cleanNotice(m.Note)
	m.Header, m.Footer = clean(m.Header, aroundColumns), clean(m.Footer, aroundColumns)
	m.Sections = m.r.tidySections(m.Sections)
	return nil
}

// setFrame renders everything except the sections and posts, with a place for them. So the size of the frame is known
// before fit chooses a plan.
func (m *mail) setFrame(title string) {
	m.data = editionData{
		FullText: m.Layout == digest.FullText || m.deepest == whole,
		Title:    title, Leads: m.leads(),
		Name: m.Name, NameDir: direction(m.Name, ""), NameLang: guessLanguage(m.Name), Date: m.date,
		Deck: strings.ReplaceAll(m.deck, " ", "\u00a0"), Note: m.Note, Header: withLinks(m.Header, m.r.headerLink),
		Footer:   withLinks(m.Footer, m.r.footerLink),
		Contents: m.contentsHTML(), Nothing: m.posts == 0 && m.notes.all == 0,
		Notes: m.notesHTML(), Alone: m.posts == 0, Reason: m.reason(),
		WebURL: m.WebURL, HomeURL: m.HomeURL, HomeWords: m.homeWords(), UnsubscribeURL: m.UnsubscribeURL,
		SitesURL: m.SitesURL, SettingsURL: m.SettingsURL, PauseURL: m.PauseURL, PostalAddress: m.PostalAddress,
	}
	if m.posts > 0 {
		m.data.Posts = &pieces{}
	}
	m.data.Opened = m.Header != "" || m.Note != "" || m.data.Contents != nil
	if m.Number > 0 {
		m.data.Number = m.numberWords()
	}
	if m.LogoURL != "" {
		m.data.setLogo(m.Logo, m.LogoURL)
	}
	m.frame.list = make([]element, 0, 24)
	m.r.edition.write(&m.frame, m.data)
}

func (d *editionData) setLogo(l digest.Logo, url string) {
	w, h := l.Shown()
	d.LogoWidth, d.LogoHeight, d.LogoClear = strconv.Itoa(w), strconv.Itoa(h), l.LogoClear
	if l.HasName() {
		d.Wordmark = url
	} else {
		d.Symbol = url
	}
}

// withLinks returns a publisher's text with its addresses as links that begin with link, or nil for "".
func withLinks(text, link string) *pieces {
	if text == "" {
		return nil
	}
	var b strings.Builder
	for _, s := range digest.Spans(text) {
		if url := address(s.URL); url != "" {
			b.WriteString(link + html.EscapeString(url) + `">` + html.EscapeString(s.Text) + "</a>")
			continue
		}
		b.WriteString(html.EscapeString(s.Text))
	}
	all := &pieces{}
	all.add(newPiece(b.String() + "\n"))
	return all
}

func (m *mail) join(p *plan) (html, text *pieces) {
	if m.data.Posts != nil {
		*m.data.Posts = p.posts.html
	}
	text = &pieces{}
	text.add(newText(m.textTop()))
	text.addAll(&p.posts.text)
	text.add(newText(m.textBottom()))
	return &m.frame, text
}

func (m *mail) omitted(p *plan) int { return m.posts - p.shown + m.left }

// leads returns the preview text for the list of emails: the first headlines that the subject does not have, or the
// first notice if there are no posts.
func (m *mail) leads() string {
	var w strings.Builder
	n := 0
	if m.Threaded { // the subject does not contain the date
		w.WriteString(m.r.label(m.r.lang.Heading(m.day())) + " ")
	}
	led := m.subjectPost()
	m.rounds(func(section, post int) bool {
		p := m.Sections[section].post(post)
		if p == led {
			return true
		}
		if n++; n > 1 {
			w.WriteString(" · ")
		}
		w.WriteString(p.lead)
		return n < 3
	})
	switch {
	case led != nil && n == 0:
		w.WriteString(m.summary())
	case led != nil:
		w.WriteString(" · " + m.summary())
	}
	if m.posts == 0 && m.notes.all > 0 {
		w.WriteString(m.notes.lines[0].Text)
	}
	return w.String()
}

func (m *mail) reason() string {
	if m.Recipient == "" {
		return m.r.Say(catalogue.Key("You’re receiving this email because you subscribed to %s.").With(m.Name))
	}
	return m.r.Say(catalogue.Key("You’re receiving this email because %s is subscribed to %s.").With(m.Recipient,
		m.Name))
}

// numberWords returns the number of the edition: "No. 12".
func (m *mail) numberWords() string { return m.r.Say(catalogue.Key("No. %d").With(m.Number)) }

func (m *mail) homeWords() string {
	if m.Newsletter {
		return m.r.Say(catalogue.Key("All issues"))
	}
	return m.r.Say(catalogue.Key("Your editions"))
}
