package feed

import (
	"cmp"
	"slices"
	"strings"

	"digest"
)

// The limits of a list of chapters, beyond any that a feed means.
const (
	maxChapters     = 100
	maxChapterTitle = 150
	maxChapterList  = 1 << 16 // bytes of the raw list
)

// chapters returns the chapters that a feed lists (Podlove Simple Chapters 1.2), ordered by start. It skips those
// without a title or a start.
func (t elements) chapters() []digest.Chapter {
	var all []digest.Chapter
	raw := t.first("psc:chapters").raw
	for tok := range tokens(raw[:min(len(raw), maxChapterList)]) {
		if _, local := splitName(tok.name); tok.kind != tokenStart || !strings.EqualFold(local, "chapter") {
			continue
		}
		start, known := startOf(tok.attr("start"))
		title := shorten(singleSpaced(tok.attr("title")), maxChapterTitle)
		if !known || title == "" {
			continue
		}
		// Clone, because a part of the document would keep all of it in memory.
		all = append(all, digest.Chapter{Start: start, Title: strings.Clone(title)})
		if len(all) == maxChapters {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b digest.Chapter) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// startOf reads a normal play time (RFC 2326 §3.6): 12:42.345, 1:12:42, 12. It rounds down to whole seconds, so that
// a chapter does not start after its first word.
func startOf(s string) (seconds int64, known bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxDuration || strings.Trim(s, "0123456789:.") != "" || strings.HasSuffix(s, ":") {
		return 0, false
	}
	n := clockSeconds(s)
	return int64(n), n <= maxSeconds
}
