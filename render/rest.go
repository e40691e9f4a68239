package render

import "strconv"

// posts is how many posts the site has, with those that are only listed.
func (s *Site) posts() int { return len(s.Blocks) + len(s.Rest) }

// block is the i-th of them, its rest last.
func (s *Site) block(i int) *Block {
	if i < len(s.Blocks) {
		return s.Blocks[i]
	}
	return s.Rest[i-len(s.Blocks)]
}

var restClosePiece = newPiece("</div>\n")

// restLabel stands before what is listed below a site's posts.
func (s *Site) restLabel() string { return "And " + strconv.Itoa(len(s.Rest)) + " more" }

// restOpen is that label and what the list stands in.
func (s *Site) restOpen() piece {
	dir := "auto"
	if s.Rest[0].Dir == "rtl" {
		dir = "rtl"
	}
	return newPiece(`<p class="by"` + align(dir, restLabelStyle) + ">" + s.restLabel() + "</p>\n" +
		`<div class="ix" style="` + restStyle + `">` + "\n")
}

// restHTML lists what a bound edition only lists of a site.
func (s *Site) restHTML(sh *sheet) {
	sh.add(s.restOpen())
	for _, b := range s.Rest {
		sh.add(b.line)
	}
	sh.add(restClosePiece)
}

// restText lists the same as text.
func (s *Site) restText(sh *sheet) {
	sh.add(newText(s.restLabel() + ":\n\n"))
	for _, b := range s.Rest {
		sh.add(b.linked)
	}
	sh.add(gapPiece)
}
