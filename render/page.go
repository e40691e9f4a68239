package render

import (
	"html"
	"strconv"
	"strings"
)

// A sheet is a message in the making: pieces in a row.
type sheet struct {
	pieces []piece
	total  size
}

func (s *sheet) add(p piece) {
	s.pieces = append(s.pieces, p)
	s.total = s.total.plus(p.size())
}

func (s *sheet) write(text string) { s.add(newPiece(text)) }

func (s *sheet) join(coded bool) string {
	var b strings.Builder
	if !coded {
		b.Grow(s.total.plain)
		for _, p := range s.pieces {
			b.WriteString(p.plain)
		}
		return b.String()
	}
	b.Grow(s.total.coded)
	for _, p := range s.pieces {
		b.WriteString(p.coded)
	}
	return b.String()
}

// The parts of the HTML that are the same in every edition, encoded once.
var (
	headPiece      = newPiece(headHTML + darkStyle())
	fillerPiece    = newPiece(leadCloseHTML)
	pageOpenPiece  = newPiece(pageOpenHTML)
	indexOpenPiece = newPiece(indexOpenHTML)
	rowOpenPiece   = newPiece(rowOpenHTML)
	rowClosePiece  = newPiece(rowCloseHTML)
	pageClosePiece = newPiece(pageCloseHTML)
)

func darkStyle() string {
	d := Dark()
	return strings.NewReplacer("{paper}", d.Paper, "{ink}", d.Ink, "{soft}", d.Soft, "{muted}", d.Muted,
		"{rule}", d.Rule, "{strong}", d.Strong, "{accent}", d.Accent).Replace(darkHTML)
}

// htmlFrame is the size of all that is not site or post, at its largest.
func (e *press) htmlFrame() size {
	var s sheet
	e.top(&s)
	s.add(indexOpenPiece)
	s.add(rowClosePiece)
	s.add(rowOpenPiece)
	s.add(rowClosePiece)
	s.write(e.moreHTML(e.posts))
	e.bottom(&s)
	return s.total
}

// html sets the page.
func (e *press) html(p plan) *sheet {
	s := &sheet{pieces: make([]piece, 0, 24+2*p.shown+3*len(e.Sites))}
	e.top(s)
	if p.index {
		e.indexHTML(s, &p)
	}
	if p.below {
		s.add(rowOpenPiece)
		e.postsHTML(s, &p)
		s.add(rowClosePiece)
	}
	if e.posts == 0 {
		s.write("<tr>\n<td>\n<p class=\"ex\" style=\"" + excerptStyle + "\">Nothing new has come in.</p>\n</td>\n</tr>\n")
	}
	e.bottom(s)
	return s
}

func (e *press) indexHTML(s *sheet, p *plan) {
	s.add(indexOpenPiece)
	for i, site := range e.Sites {
		if p.of(i, 0) == omitted {
			continue
		}
		if p.below {
			s.add(e.sites[i].label)
		} else {
			s.write(siteLabelHTML("h2", site))
		}
		for j, b := range site.Blocks {
			if p.of(i, j) > omitted {
				s.add(b.line)
			}
		}
	}
	if n := e.posts - p.shown; n > 0 {
		s.write(e.moreHTML(n))
	}
	s.add(rowClosePiece)
}

func (e *press) postsHTML(s *sheet, p *plan) {
	for i, site := range e.Sites {
		if p.of(i, 0) < short {
			continue
		}
		s.add(e.sites[i].head)
		for j, b := range site.Blocks {
			if d := p.of(i, j); d >= short {
				s.add(b.html(d))
			}
		}
	}
}

// html is the block below the index at a depth of short or full.
func (b *Block) html(d depth) piece {
	if d == full {
		return b.full
	}
	return b.short().html
}

// top is all before the index: the document's head, the line that clients show
// in their lists, the nameplate.
func (e *press) top(s *sheet) {
	s.add(headPiece)
	s.write("<title>" + html.EscapeString(e.subject) + "</title>\n</head>\n" +
		`<body style="margin:0;padding:0;background-color:` + paper + `">` + "\n" + leadOpenHTML + e.leads() + "\n")
	s.add(fillerPiece)
	s.write(`<div role="article" aria-roledescription="email" aria-label="` +
		html.EscapeString(e.Name+", "+e.date) + `" lang="en" dir="ltr">` + "\n")
	s.add(pageOpenPiece)
	s.write(e.nameplate())
}

// leads is the beginning of the news, for the list of mails: a few headlines.
func (e *press) leads() string {
	var w strings.Builder
	n := 0
	e.rounds(func(site, post int) bool {
		if n++; n > 1 {
			w.WriteString(" · ")
		}
		w.WriteString(e.Sites[site].Blocks[post].lead)
		return n < 3
	})
	return w.String()
}

func (e *press) nameplate() string {
	number, below := "", "4px"
	if e.posts < 2 {
		below = "22px" // no index follows
	}
	if e.Number > 0 {
		number = "No. " + strconv.Itoa(e.Number)
	}
	return `<tr>
<td class="bar" style="border-top:3px solid ` + ink + `;padding:22px 0 18px">
<h1 class="name"` + attributes(guessLanguage(e.Name), direction(e.Name, "")) + ` style="margin:0;text-align:center;font-size:44px;line-height:1.15;font-weight:700;letter-spacing:-0.5px;color:` + ink + `">` + html.EscapeString(e.Name) + `</h1>
</td>
</tr>
<tr>
<td class="hair" style="border-top:1px solid ` + rule + `;border-bottom:1px solid ` + rule + `">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="font-family:` + Sans + `;font-size:13px;line-height:1.5">
<tr>
<td class="by" style="padding:7px 0;color:` + muted + `">` + e.date + `</td>
<td class="by" align="right" style="padding:7px 0;color:` + muted + `">` + number + `</td>
</tr>
</table>
</td>
</tr>
<tr>
<td style="padding:22px 0 ` + below + `">
<p class="deck" style="margin:0;font-size:20px;line-height:1.4;font-style:italic;color:` + ink + `">` + upperFirst(e.deck) + `</p>
</td>
</tr>
`
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// bottom is all after the posts: what the reader should know, and the ways out.
func (e *press) bottom(s *sheet) {
	var w strings.Builder
	w.WriteString("<tr>\n<td class=\"hair\" style=\"border-top:1px solid " + rule + ";padding:18px 0 0\">\n")
	for _, n := range e.Notices {
		w.WriteString(`<p class="ft" dir="auto" style="font-style:italic;` + footStyle + `">` + html.EscapeString(n) + "</p>\n")
	}
	w.WriteString(`<p class="ft" style="` + footStyle + `">` + html.EscapeString(e.reason()) + "</p>\n")
	w.WriteString(`<p class="ft" style="` + footStyle + `">`)
	for i, l := range e.exits() {
		if i > 0 {
			w.WriteString(" &nbsp;·&nbsp; ")
		}
		w.WriteString(`<a href="` + html.EscapeString(l.address) + `" style="color:` + muted + `;text-decoration:underline">` + l.text + "</a>")
	}
	w.WriteString("</p>\n</td>\n</tr>\n")
	s.write(w.String())
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
	links := []exit{{"Settings", e.HomeURL}, {"Unsubscribe", e.UnsubscribeURL}}
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

func siteLabelHTML(tag string, s Site) string {
	d := direction(s.Title, s.Language)
	return "<" + tag + ` class="site"` + attributes(s.Language, d) + align(d, siteLabelStyle) + ">" +
		html.EscapeString(s.Title) + "</" + tag + ">\n"
}

func siteHeadHTML(s Site) string {
	d := direction(s.Title, s.Language)
	return `<h2 class="site hair"` + attributes(s.Language, d) + align(d, siteHeadStyle) + ">" +
		link(s.URL, "color:"+accent+";text-decoration:none", s.Title) + "</h2>\n"
}

func untitledSite(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	if host == "" {
		return "A site without a name"
	}
	return clean(host, siteColumns)
}
