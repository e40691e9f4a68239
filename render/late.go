package render

// lateParts is what stands before the late posts of a site; the posts
// themselves are the same for all readers, late or not.
type lateParts struct {
	line, head         piece // HTML: in the index; among the posts
	textLine, textHead piece
}

// LateLabel stands before the posts that come late.
const LateLabel = "Late, from an earlier day"

var (
	lateAuto = newLateParts("auto")
	lateRTL  = newLateParts("rtl")
	notLate  lateParts
)

func newLateParts(dir string) *lateParts {
	return &lateParts{
		line:     newPiece(`<p class="by"` + align(dir, lateLineStyle) + ">Late</p>\n"),
		head:     newPiece(`<p class="by"` + align(dir, lateHeadStyle) + ">" + LateLabel + "</p>\n"),
		textLine: newPiece("  Late:\n"),
		textHead: newPiece(LateLabel + ":\n\n"),
	}
}

// FirstLate reports whether Blocks[i] is the first of the late ones.
func (s Site) FirstLate(i int) bool { return s.Late > 0 && i == len(s.Blocks)-s.Late }

// late is what stands before Blocks[i]: nothing, but before the first late one,
// on the side where its lines begin.
func (s *Site) late(i int) *lateParts {
	switch {
	case !s.FirstLate(i):
		return &notLate
	case s.Blocks[i].Dir == "rtl":
		return lateRTL
	}
	return lateAuto
}
