package render

import "strconv"

// posts is how many posts the site has, with those that are only listed.
func (s *Section) posts() int { return len(s.Posts) + len(s.Rest) }

// block is the i-th of them, its rest last.
func (s *Section) block(i int) *Post {
	if i < len(s.Posts) {
		return s.Posts[i]
	}
	return s.Rest[i-len(s.Posts)]
}

var restClosePiece = newPiece("</div>\n")

// restLabel stands before what is listed below a site's posts.
func (s *Section) restLabel() string { return "And " + strconv.Itoa(len(s.Rest)) + " more" }

// restOpen is that label and what the list stands in.
func (s *Section) restOpen() piece {
	dir := "auto"
	if s.Rest[0].Dir == "rtl" {
		dir = "rtl"
	}
	return newPiece(`<p class="by"` + align(dir, restLabelStyle) + ">" + s.restLabel() + "</p>\n" +
		`<div class="ix" style="` + restStyle + `">` + "\n")
}

// restHTML lists what a bound edition only lists of a site.
func (s *Section) restHTML(sh *sheet) {
	sh.add(s.restOpen())
	for _, b := range s.Rest {
		sh.add(b.line)
	}
	sh.add(restClosePiece)
}

// restText lists the same as text.
func (s *Section) restText(sh *sheet) {
	sh.add(newPiece(s.restLabel() + ":\n\n"))
	for _, b := range s.Rest {
		sh.add(b.linked)
	}
	sh.add(gapPiece)
}
