package render

import (
	"html"
	"strconv"
	"strings"

	"digest"
)

// The parts of the HTML that are the same in every edition, encoded once.
var (
	headPiece      = newPiece(headHTML + darkStyle())
	headTextPiece  = newPiece(headHTML + darkStyle() + darkTextStyle())
	leadOpenPiece  = newPiece(leadOpenHTML)
	fillerPiece    = newPiece(leadCloseHTML)
	pageOpenPiece  = newPiece(pageOpenHTML)
	namePiece      = newPiece(nameHTML)
	datePiece      = newPiece(dateHTML)
	numberPiece    = newPiece(numberHTML)
	deckPiece      = newPiece(deckHTML)
	lonelyPiece    = newPiece(lonelyHTML)
	notePiece      = newPiece("</p>\n" + noteHTML)
	deckClosePiece = newPiece("</p>\n" + rowCloseHTML)
	indexOpenPiece = newPiece(indexOpenHTML)
	rowOpenPiece   = newPiece(rowOpenHTML)
	rowClosePiece  = newPiece(rowCloseHTML)
	nothingPiece   = newPiece(nothingHTML)
	footPiece      = newPiece(footHTML)
	notesPiece     = newPiece(notesHTML)
	onlyNotesPiece = newPiece("<tr>\n<td>\n")
	reasonPiece    = newPiece(reasonHTML)
	paraClosePiece = newPiece("</p>\n")
	dotPiece       = newPiece("&nbsp;·&nbsp;\n")
	exitPiece      = newPiece(exitHTML)
	pageClosePiece = newPiece(rowCloseHTML + pageCloseHTML)
)

func darkStyle() string { return darkened(darkHTML) }

func darkTextStyle() string { return darkened(darkTextHTML) }

func darkened(style string) string {
	d := Dark()
	return strings.NewReplacer("{paper}", d.Paper, "{panel}", d.Panel, "{ink}", d.Ink, "{soft}", d.Soft, "{muted}", d.Muted,
		"{rule}", d.Rule, "{strong}", d.Strong, "{accent}", d.Accent, "{mark}", darkHighlight).Replace(style)
}

// setFrame renders all that is neither site nor post. The rows around the
// index and the posts are counted with it, though they are set with them.
func (e *press) setFrame() {
	s := &e.frame
	s.pieces = make([]piece, 0, 40)
	e.setTop(s)
	e.top = len(s.pieces)
	e.setBottom(s)
	for _, p := range [...]piece{indexOpenPiece, rowClosePiece, rowOpenPiece, rowClosePiece} {
		s.total = s.total.plus(p.size())
	}
}

// setTop is all before the index: the document's head, the line that clients
// show in their lists, the nameplate.
func (e *press) setTop(s *sheet) {
	if e.Layout == digest.FullText || e.deepest == whole {
		s.add(headTextPiece)
	} else {
		s.add(headPiece)
	}
	s.write("<title>" + html.EscapeString(e.title) + "</title>\n</head>\n" +
		`<body style="margin:0;padding:0;background-color:` + paper + `">` + "\n")
	s.add(leadOpenPiece)
	s.write(e.leads() + "\n")
	s.add(fillerPiece)
	s.write(`<div role="article" aria-roledescription="email" aria-label="` +
		html.EscapeString(e.Name+", "+e.date) + `" lang="en" dir="ltr">` + "\n")
	s.add(pageOpenPiece)
	e.setNameplate(s)
}

func (e *press) setNameplate(s *sheet) {
	s.add(namePiece)
	s.write(attributes(guessLanguage(e.Name), direction(e.Name, "")) + ">" + html.EscapeString(e.Name) + "</h1>\n")
	s.add(datePiece)
	s.write(e.date + "\n")
	s.add(numberPiece)
	if e.Number > 0 {
		s.write("No. " + strconv.Itoa(e.Number) + "\n")
	}
	if e.posts < 2 {
		s.add(lonelyPiece) // no index follows
	} else {
		s.add(deckPiece)
	}
	s.write(upperFirst(e.deck) + "\n")
	if e.Note != "" {
		s.add(notePiece)
		s.write(html.EscapeString(e.Note) + "\n")
	}
	s.add(deckClosePiece)
}

// leads is the beginning of the news, for the list of mails: a few headlines,
// or the first notice where there are none.
func (e *press) leads() string {
	var w strings.Builder
	n := 0
	if e.Threaded { // the subject does not say it
		w.WriteString(e.Date.Format("Monday 2 January") + ": ")
	}
	e.rounds(func(site, post int) bool {
		if n++; n > 1 {
			w.WriteString(" · ")
		}
		w.WriteString(e.Sections[site].block(post).lead)
		return n < 3
	})
	if e.posts == 0 && e.notes.all > 0 {
		w.WriteString(html.EscapeString(e.notes.lines[0]))
	}
	return w.String()
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// setBottom is all after the posts: what the reader should know, and the ways out.
func (e *press) setBottom(s *sheet) {
	e.setNotes(s)
	s.add(footPiece)
	s.add(reasonPiece)
	s.write(html.EscapeString(e.reason()) + "\n")
	s.add(paraClosePiece)
	s.add(reasonPiece)
	for i, l := range e.exits() {
		if i > 0 {
			s.add(dotPiece)
		}
		s.add(exitPiece)
		s.write(`href="` + html.EscapeString(l.address) + `">` + l.text + "</a>\n")
	}
	s.add(paraClosePiece)
	if e.PostalAddress != "" {
		s.add(reasonPiece)
		s.write(html.EscapeString(e.PostalAddress) + "\n")
		s.add(paraClosePiece)
	}
	s.add(pageClosePiece)
}

// reason says why the reader gets this.
func (e *press) reason() string {
	if e.Recipient == "" {
		return "You get this because you asked for " + e.Name + ", made at your midnight from the sites you chose."
	}
	return "You get this because " + e.Recipient + " asked for " + e.Name + ", made at your midnight from the sites you chose."
}

type exit struct{ text, address string }

// exits are the links that every edition ends with.
func (e *press) exits() []exit {
	links := []exit{{"Your editions", e.HomeURL}, {"Unsubscribe", e.UnsubscribeURL}}
	if e.WebURL != "" {
		links = append([]exit{{"Read in the browser", e.WebURL}}, links...)
	}
	return links
}

// moreURL is where the posts are that did not fit.
func (e *press) moreURL() string {
	if e.WebURL != "" {
		return e.WebURL
	}
	return e.HomeURL
}

func (e *press) moreHTML(n int) string {
	return `<p style="margin:24px 0 0"><a class="go" href="` + html.EscapeString(e.moreURL()) + `" style="color:` + accent +
		`;text-decoration:underline">… and ` + strconv.Itoa(n) + ` more in the web edition</a></p>` + "\n"
}
