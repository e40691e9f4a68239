package render

// lateParts is what stands before the late posts of a site; the posts
// themselves are the same for all readers, late or not.
type lateParts struct {
	line, head         piece // HTML: in the index; among the posts
	textLine, textHead piece
}

// lateLabel stands before the posts that come late.
const lateLabel = "Late, from an earlier day"

var (
	lateAuto = newLateParts("auto")
	lateRTL  = newLateParts("rtl")
	notLate  lateParts
)

func newLateParts(dir string) *lateParts {
	return &lateParts{
		line:     newPiece(`<p class="by"` + align(dir, lateLineStyle) + ">Late</p>\n"),
		head:     newPiece(`<p class="by"` + align(dir, lateHeadStyle) + ">" + lateLabel + "</p>\n"),
		textLine: newPiece("  Late:\n"),
		textHead: newPiece(lateLabel + ":\n\n"),
	}
}

// LateLabel is what stands before Blocks[i]: words before the first of the late
// ones, otherwise none.
func (s Section) LateLabel(i int) string {
	if s.firstLate(i) {
		return lateLabel
	}
	return ""
}

func (s *Section) firstLate(i int) bool { return s.Late > 0 && i == len(s.Posts)-s.Late }

// late is that label as it is set, on the side where the lines after it begin.
func (s *Section) late(i int) *lateParts {
	switch {
	case !s.firstLate(i):
		return &notLate
	case s.Posts[i].Dir == "rtl":
		return lateRTL
	}
	return lateAuto
}
