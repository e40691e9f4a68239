package feed

import (
	"encoding/json"
	"slices"
	"time"
)

// Labels of posts and accounts (https://atproto.com/specs/label).

// notShown are the labels that hide posts and accounts from everybody or from people who are not signed in.
var notShown = setOf("!hide !takedown !suspend !no-unauthenticated")

// adult are the labels that replace a picture with a link.
var adult = setOf("!warn porn sexual nudity graphic-media gore")

// isHidden reports whether a label hides a post or its author.
func (at *atPost) isHidden() bool {
	return slices.ContainsFunc(slices.Concat(at.labels(), at.Author.Labels),
		func(l atLabel) bool { return notShown[l.Val] })
}

// isWarnedOf reports whether a label warns of the text of a post, and not only of its pictures.
func (at *atPost) isWarnedOf() bool {
	return slices.ContainsFunc(at.labels(), func(l atLabel) bool { return l.Val == "!warn" })
}

func (at *atPost) labels() []atLabel {
	return slices.Concat(at.Labels, at.Record.Labels.Values, at.Value.Labels.Values)
}

// MaxProblem limits the body of an error response that ATProtoProblem reads, in bytes.
const MaxProblem = 4 << 10

// ATProtoProblem returns the reason in an error response of an AT Protocol service; "": it states none.
func ATProtoProblem(body []byte) string {
	var problem struct{ Error, Message asValue }
	if len(body) > MaxProblem || json.Unmarshal(body, &problem) != nil || problem.Error.text() == "" {
		return ""
	}
	return shorten(singleSpaced(firstOf(problem.Message.text(), problem.Error.text())), maxName)
}

// settleLabels removes negated and expired labels from the posts of a document.
func settleLabels(items []atItem) {
	var now time.Time // or earlier: the newest date of the document
	for i := range items {
		if seen := parseDate(items[i].Post.IndexedAt); seen.After(now) {
			now = seen
		}
	}
	for i := range items {
		at := &items[i].Post
		at.settle(now)
		for e := &at.Embed; e != nil; e = e.Media {
			if q := e.Record; q != nil {
				q.settle(now)
				if q.Record != nil {
					q.Record.settle(now)
				}
			}
		}
	}
}

func (at *atPost) settle(now time.Time) {
	at.Labels, at.Author.Labels = inForce(at.Labels, now), inForce(at.Author.Labels, now)
}

// inForce returns the labels that have not expired and that their source has not negated.
func inForce(labels []atLabel, now time.Time) (hold []atLabel) {
	for _, l := range labels {
		hold = slices.DeleteFunc(hold, func(was atLabel) bool { return was.Src == l.Src && was.Val == l.Val })
		if end := parseDate(l.Exp); !l.Neg && (end.IsZero() || end.After(now)) {
			hold = append(hold, l)
		}
	}
	return hold
}
