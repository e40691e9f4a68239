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

// Mail renders an edition. HTML and Text are UTF-8 with LF line ends. However
// large the edition, HTML stays under 95,000 bytes, and under 100,000 when it is
// quoted-printable: mail clients hide what is beyond.
//
// An edition that is too large loses detail in this order: full texts are cut
// at the end of a paragraph, all at about the same length, then become excerpts
// with a link to the rest; excerpts are shortened and lose their pictures, as many as have to be, the first posts of each section
// last; posts become headlines, every
// section keeping its newest excerpts as long as any; headlines are left to the
// web edition, again evenly.
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

// EncodedMail is Mail as a message's body carries it. What is made of a post is kept
// encoded, and all its readers' mails share it.
func (r *Renderer) EncodedMail(e Edition) (EncodedMessage, error) {
	m, err := r.newMail(e)
	if err != nil {
		return EncodedMessage{}, err
	}
	html, text := m.join(m.fit())
	n := len(m.frame.list) + 2*(6*m.posts+3*len(m.Sections))
	return EncodedMessage{m.subject, html.blocks(make([]string, 0, n)), text.blocks(make([]string, 0, n))}, nil
}

// A mail is an edition on its way into a message.
type mail struct {
	Edition
	r       *Renderer
	posts   int
	left    int     // more posts, which are in the web edition alone
	most    []depth // of each section's posts, where there is room
	deepest depth   // of them

	saveLines bool // posts in lists of headlines have links to save them
	notes     noted
	subject   string
	deck      string // "12 posts from 7 sites, 1 note"
	date      string // "Friday 20 November 2026"
	data      editionData
	frame     pieces // all but the sections and posts, which are put into data.Posts
}

// editionData is what the template of an edition is filled with.
type editionData struct {
	FullText                              bool // there may be full texts
	Title, Leads                          string
	Name, NameDir, NameLang, Date, Number string
	Symbol, Wordmark                      string // address of a logo above the name, or in its place
	LogoWidth, LogoHeight                 string
	LogoClear                             bool
	Deck, Note                            string
	Header, Footer                        *pieces
	Contents, Posts                       *pieces
	Opened                                bool // something stands above the posts
	Nothing                               bool // there are neither posts nor notes
	Notes                                 *pieces
	Alone                                 bool // there are notes and no posts
	Reason                                string
	WebURL, HomeURL, UnsubscribeURL       string
	SettingsURL, PauseURL                 string
	HomeWords                             string
	PostalAddress                         string
}

// moreData is what the template of the line below a cut index is filled with.
type moreData struct{ URL, Count string }

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
	title := r.lang.Heading(catalogue.Key("%s: %s").With(catalogue.Day("Monday 2 January", e.Date), m.deck))
	if m.posts > 0 && m.notes.all > 0 {
		m.deck = r.Say(catalogue.Key("%s, %s").With(m.deck, catalogue.Key("%d notices").With(m.notes.all)))
	}
	m.subject = m.subjectOr(title)
	m.date = r.lang.Heading(catalogue.Day("Monday 2 January 2006", e.Date))
	m.setFrame(title)
	return m, nil
}

// tidy bounds and cleans all that surrounds the posts, and refuses an edition
// whose reader could not get out of it.
func (m *mail) tidy() error {
	if m.Date.IsZero() {
		return fmt.Errorf("it has no date")
	}
	for _, u := range []struct {
		name     string
		value    *string
		required bool
	}{{"unsubscribe", &m.UnsubscribeURL, true}, {"home", &m.HomeURL, true}, {"web edition", &m.WebURL, false},
		{"logo", &m.LogoURL, false}, {"settings", &m.SettingsURL, false}, {"pause", &m.PauseURL, false}} {
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

// setFrame renders all that is neither section nor post, with room for those: its size
// is known before it is decided what they hold.
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
		SettingsURL: m.SettingsURL, PauseURL: m.PauseURL, PostalAddress: m.PostalAddress,
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

// withLinks is a publisher's text with its addresses as links that begin with link; nil: there is none.
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

// join puts what a plan has written into the frame.
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

// omitted is how many posts a plan leaves to the web edition.
func (m *mail) omitted(p *plan) int { return m.posts - p.shown + m.left }

// more says how many posts are only in the web edition.
func (m *mail) more(n int) pair {
	words, url := m.r.Say(catalogue.Key("%d more on the web").With(n)), cmp.Or(m.WebURL, m.HomeURL)
	return pair{m.r.more.piece(moreData{URL: url, Count: words}), newText(m.r.label(words) + "\n" + url + "\n\n")}
}

// leads is the beginning of the news, for the list of mails: a few headlines,
// or the first notice where there are none.
func (m *mail) leads() string {
	var w strings.Builder
	n := 0
	if m.Threaded { // the subject does not say it
		w.WriteString(m.r.label(m.r.lang.Heading(catalogue.Day("Monday 2 January", m.Date))) + " ")
	}
	led := m.leadsSubject()
	if led {
		w.WriteString(m.r.lang.Heading(catalogue.Key("%s: %s").With(catalogue.Day("Monday 2 January", m.Date),
			m.summary())))
	}
	m.rounds(func(section, post int) bool {
		if n++; n == 1 && led { // the subject says it
			return true
		}
		if n > 1 {
			w.WriteString(" · ")
		}
		w.WriteString(m.Sections[section].post(post).lead)
		return n < 3
	})
	if m.posts == 0 && m.notes.all > 0 {
		w.WriteString(m.notes.lines[0].Text)
	}
	return w.String()
}

// reason explains why the reader gets this email.
func (m *mail) reason() string {
	if m.Recipient == "" {
		return m.r.Say(catalogue.Key("You get this email because you subscribed to %s.").With(m.Name))
	}
	return m.r.Say(catalogue.Key("You get this email because %s is subscribed to %s.").With(m.Recipient, m.Name))
}

// numberWords say which edition it is: "No. 12".
func (m *mail) numberWords() string { return m.r.Say(catalogue.Key("No. %d").With(m.Number)) }

// homeWords name what HomeURL leads to.
func (m *mail) homeWords() string {
	if m.Newsletter {
		return m.r.Say(catalogue.Key("All issues"))
	}
	return m.r.Say(catalogue.Key("Your editions"))
}

// subjectOr is the subject of a message; title says the date, and how much there is.
func (m *mail) subjectOr(title string) string {
	switch {
	case m.Threaded:
		return cutBytes(m.Name, maxSubject)
	case m.Newsletter:
		return m.letterSubject()
	case m.leadsSubject():
		return cutBytes(m.Sections[0].post(0).Line(), maxSubject)
	}
	return title
}

// leadsSubject reports whether the subject is the headline of the post that leads: the first of the first section, as on
// the front page of the web.
func (m *mail) leadsSubject() bool {
	return m.LeadSubject && !m.Newsletter && !m.Threaded && m.posts > 0
}

// letterSubject is the subject of a newsletter's letter: its publisher wrote the posts too, so that
// the headline of the only one may stand in it.
func (m *mail) letterSubject() string {
	if m.posts == 1 && m.left == 0 {
		for _, s := range m.Sections {
			for _, p := range append(s.Posts, s.Rest...) {
				return cutBytes(m.Name+": "+p.Title, maxSubject)
			}
		}
	}
	return cutBytes(m.r.Say(catalogue.Key("%s, %s: %s").With(m.Name, catalogue.Day("2 January", m.Date), m.deck)),
		maxSubject)
}
