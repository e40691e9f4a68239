package acceptance

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func letterOf(to, id string, date time.Time, posts ...int) []byte {
	var list strings.Builder
	for _, n := range posts {
		fmt.Fprintf(&list, "http://site-0.example/posts/%d\n", n)
	}
	lines := "From: Digest <digest@localhost>\nTo: <" + to + ">\nSubject: Saturday: " + count(len(posts), "post") +
		" from 1 site\n" +
		"Date: " + date.Format(time.RFC1123Z) + "\nMessage-ID: <" + id + "@localhost>\nList-Id: <d1.localhost>\n" +
		"List-Unsubscribe: <http://localhost/leave>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\nMIME-Version: 1.0\n" +
		"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n" + list.String() +
		"\nhttp://localhost/leave\n--b\nContent-Type: text/html\n\n<html>" + list.String() + "</html>\n--b--\n"
	return []byte(strings.ReplaceAll(lines, "\n", "\r\n"))
}

// A forgery is a journal with one change.
type forgery struct {
	name  string
	forge func(l *ledger, journal []accepted, tries []attempt) ([]accepted, []attempt)
	finds string // part of the expected finding; "": the change is allowed
}

func cut(find, with string) func(*ledger, []accepted, []attempt) ([]accepted, []attempt) {
	return func(_ *ledger, j []accepted, a []attempt) ([]accepted, []attempt) {
		j[1].raw = bytes.Replace(j[1].raw, []byte(find), []byte(with), 1)
		return j, a
	}
}

// again appends the second message again, with a later time.
func again(after time.Duration, change func(l *ledger, first, second *accepted)) func(*ledger, []accepted,
	[]attempt) ([]accepted, []attempt) {
	return func(l *ledger, j []accepted, a []attempt) ([]accepted, []attempt) {
		second := j[1]
		second.now, second.run, second.conn = second.now.Add(after), "another", 9
		j = append(j, second)
		change(l, &j[1], &j[len(j)-1])
		return j, a
	}
}

func kill(l *ledger, first, _ *accepted)  { l.killed[first.run] = true }
func unsay(_ *ledger, first, _ *accepted) { first.answer = "" }

func forgeries() []forgery {
	type journal = []accepted
	type tries = []attempt
	return []forgery{
		{name: "nothing", forge: func(_ *ledger, j journal, a tries) (journal, tries) { return j, a }},
		{name: "lost", finds: "never had",
			forge: func(_ *ledger, j journal, a tries) (journal, tries) { return slices.Delete(j, 1, 2), a }},
		{name: "truncated", finds: "not whole", forge: func(_ *ledger, j journal, a tries) (journal, tries) {
			j[1].raw = j[1].raw[:len(j[1].raw)-200]
			return j, a
		}},
		{name: "without its last boundary", finds: "a part: unexpected EOF", forge: cut("--b--\r\n", "")},
		{name: "without the end of the HTML", finds: "HTML does not end", forge: cut("</html>", "")},
		{name: "a post less in the text", finds: "HTML links to", forge: cut("http://site-0.example/posts/3", "")},
		{name: "a post less", finds: "links to 1 posts", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			j[1].raw = bytes.ReplaceAll(j[1].raw, []byte("http://site-0.example/posts/3"), nil)
			return j, a
		}},
		{name: "to another", finds: "was addressed", forge: cut("To: <two@", "To: <one@")},
		{name: "doubled", finds: "though it was answered",
			forge: again(time.Hour, func(*ledger, *accepted, *accepted) {})},
		{name: "doubled by a kill", forge: again(time.Hour, kill)},
		{name: "doubled without an answer", forge: again(time.Hour, unsay)},
		{name: "doubled too soon", finds: "came again after", forge: again(10*time.Minute, unsay)},
		{name: "doubled with another date", finds: "as another message",
			forge: again(time.Hour, func(l *ledger, first, second *accepted) {
				first.answer = ""
				second.raw = bytes.Replace(second.raw, []byte(" 2026 "), []byte(" 2027 "), 1)
			})},
		{name: "doubled under another Message-ID", finds: "twice: in",
			forge: again(time.Hour, func(l *ledger, first, second *accepted) {
				first.answer = ""
				second.raw = bytes.Replace(second.raw, []byte("<m2@"), []byte("<m9@"), 1)
			})},
		{name: "three times", finds: "came 3 times", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			j, _ = again(time.Hour, unsay)(l, j, nil)
			j, _ = again(2*time.Hour, unsay)(l, j, nil)
			j[3].answer = ""
			return j, a
		}},
		{name: "two of one killed connection", finds: "and so did",
			forge: func(l *ledger, j journal, a tries) (journal, tries) {
				l.killed["run"] = true
				for _, i := range []int{0, 1} {
					second := j[i]
					second.now, second.run = second.now.Add(time.Hour), "another"
					j = append(j, second)
				}
				return j, a
			}},
		{name: "to the suppressed", finds: "should have had nothing",
			forge: func(l *ledger, j journal, a tries) (journal, tries) {
				l.mute["two@example.org"] = begin()
				return j, a
			}},
		{name: "asked for the suppressed", finds: "the server was asked",
			forge: func(l *ledger, j journal, a tries) (journal, tries) {
				l.mute["two@example.org"] = begin().Add(22 * time.Hour)
				return j, append(a, attempt{to: "two@example.org", now: begin().Add(23 * time.Hour)})
			}},
		{name: "to a stranger", finds: "who is nobody", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			delete(l.due, "two@example.org")
			return j, a
		}},
		{name: "too early", finds: "before", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			j[1].now = begin().Add(time.Hour)
			return j, a
		}},
		{name: "unsigned", finds: "is not signed",
			forge: func(l *ledger, j journal, a tries) (journal, tries) { l.sealed = true; return j, a }},
		{name: "hurried", finds: "was tried again", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			return j, append(a, attempt{to: "x@y", now: begin(), reached: atRCPT, code: 450},
				attempt{to: "x@y", now: begin().Add(time.Minute)})
		}},
		{name: "refused", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			return slices.Delete(j, 1, 2),
				append(a, attempt{to: "two@example.org", now: begin().Add(19 * time.Hour), reached: atRCPT, code: 554})
		}},
		{name: "in doubt twice", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			lost := attempt{to: "two@example.org", now: begin().Add(19 * time.Hour), reached: atDotLost, dot: true}
			return slices.Delete(j, 1, 2), append(a, lost, lost)
		}},
		{name: "in doubt, and refused to one who died of it",
			forge: func(l *ledger, j journal, a tries) (journal, tries) {
				l.killed["dead"] = true
				lost := attempt{to: "two@example.org", now: begin().Add(19 * time.Hour), reached: atDotLost, dot: true}
				refused := lost
				refused.run, refused.code, refused.now = "dead", 451, lost.now.Add(time.Hour)
				return slices.Delete(j, 1, 2), append(a, lost, refused)
			}},
		{name: "in doubt once", finds: "never had", forge: func(l *ledger, j journal, a tries) (journal, tries) {
			return slices.Delete(j, 1, 2),
				append(a, attempt{to: "two@example.org", now: begin().Add(19 * time.Hour), reached: atDotLost,
					dot: true})
		}},
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	for _, f := range forgeries() {
		t.Run(f.name, func(t *testing.T) {
			midnight := begin().Add(18 * time.Hour)
			l := newLedger()
			l.until = midnight
			var journal []accepted
			for i, name := range []string{"one", "two", "three"} {
				to := name + "@example.org"
				l.due[to] = map[string]time.Time{"http://site-0.example/posts/3": midnight,
					"http://site-0.example/posts/4": midnight}
				raw := letterOf(to, fmt.Sprintf("m%d", i+1), midnight, 3, 4)
				journal = append(journal, accepted{conn: 1, run: "run", now: midnight, to: to, raw: raw,
					answer: "250 2.0.0 kept"})
			}
			j := l.judge(f.forge(l, journal, nil))
			said := strings.Join(j.findings, "\n")
			if f.finds == "" && said != "" || f.finds != "" && !strings.Contains(said, f.finds) {
				t.Errorf("found %q, want %q", said, f.finds)
			}
		})
	}
}
