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
		" from 1 site\nDate: " + date.Format(time.RFC1123Z) +
		"\nMessage-ID: <" + id + "@localhost>\nList-Id: <d1.localhost>\n" +
		"List-Unsubscribe: <http://localhost/leave>\nList-Unsubscribe-Post: " +
		"List-Unsubscribe=One-Click\nMIME-Version: 1.0\n" +
		"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n" + list.String() +
		"\nhttp://localhost/leave\n--b\nContent-Type: text/html\n\n<html>" + list.String() + "</html>\n--b--\n"
	return []byte(strings.ReplaceAll(lines, "\n", "\r\n"))
}

// A case file is what a ledger judges. The second message in its journal is the one that a forgery changes.
type caseFile struct {
	*ledger
	journal []accepted
	tries   []attempt
}

// forge replaces a text n times in the second message; -1: everywhere.
func forge(find, with string, n int) func(*caseFile) {
	return func(c *caseFile) {
		c.journal[1].raw = bytes.Replace(c.journal[1].raw, []byte(find), []byte(with), n)
	}
}

// again appends the n-th message again, as sent by another run after a while.
func (c *caseFile) again(n int, after time.Duration) *accepted {
	second := c.journal[n]
	second.now, second.run, second.conn = second.now.Add(after), "another", 9
	c.journal = append(c.journal, second)
	return &c.journal[len(c.journal)-1]
}

// lose removes the second message, and adds the attempts in its place.
func (c *caseFile) lose(tries ...attempt) {
	c.journal = slices.Delete(c.journal, 1, 2)
	for _, a := range tries {
		a.to, a.now = "two@example.org", begin().Add(19*time.Hour)
		c.tries = append(c.tries, a)
	}
}

// TestLedger checks that the ledger finds each fault of a journal, and accepts what may happen.
func TestLedger(t *testing.T) {
	t.Parallel()
	unsaid := func(c *caseFile) { c.journal[1].answer = "" }
	lost := attempt{reached: atDotLost, dot: true}
	for name, forgery := range map[string]struct {
		finds  string // part of the expected finding; "": none
		change func(c *caseFile)
	}{
		"nothing":                     {"", func(*caseFile) {}},
		"lost":                        {"never had", func(c *caseFile) { c.lose() }},
		"truncated":                   {"not whole", forge("</html>\r\n--b--\r\n", "", 1)},
		"without its last boundary":   {"a part: unexpected EOF", forge("--b--\r\n", "", 1)},
		"without the end of the HTML": {"HTML does not end", forge("</html>", "", 1)},
		"a post less in the text":     {"HTML links to", forge("http://site-0.example/posts/3", "", 1)},
		"a post less":                 {"links to 1 posts", forge("http://site-0.example/posts/3", "", -1)},
		"to another":                  {"was addressed", forge("To: <two@", "To: <one@", 1)},
		"doubled":                     {"though it was answered", func(c *caseFile) { c.again(1, time.Hour) }},
		"doubled by a kill":           {"", func(c *caseFile) { c.again(1, time.Hour); c.killed["run"] = true }},
		"doubled without an answer":   {"", func(c *caseFile) { c.again(1, time.Hour); unsaid(c) }},
		"doubled too soon": {"came again after",
			func(c *caseFile) { c.again(1, 10*time.Minute); unsaid(c) }},
		"doubled with another date": {"as another message",
			func(c *caseFile) { unsaid(c); c.reword(" 2026 ", " 2027 ") }},
		"doubled with another subject": {"as another message",
			func(c *caseFile) { unsaid(c); c.reword("Saturday", "Sunday") }},
		"doubled with another identity": {"twice: in", func(c *caseFile) { unsaid(c); c.reword("<m2@", "<m9@") }},
		"three times": {"came 3 times", func(c *caseFile) {
			c.again(1, time.Hour).answer = ""
			c.again(1, 2*time.Hour)
			unsaid(c)
		}},
		"two of one killed connection": {"and so did", func(c *caseFile) {
			c.again(0, time.Hour)
			c.again(1, time.Hour)
			c.killed["run"] = true
		}},
		"to the suppressed": {"should have had nothing", func(c *caseFile) { c.mute["two@example.org"] = begin() }},
		"asked for the suppressed": {"the server was asked", func(c *caseFile) {
			c.mute["two@example.org"] = begin().Add(22 * time.Hour)
			c.tries = append(c.tries, attempt{to: "two@example.org", now: begin().Add(23 * time.Hour)})
		}},
		"to a stranger": {"who is nobody", func(c *caseFile) { delete(c.due, "two@example.org") }},
		"too early":     {"before", func(c *caseFile) { c.journal[1].now = begin().Add(time.Hour) }},
		"unsigned":      {"is not signed", func(c *caseFile) { c.sealed = true }},
		"hurried": {"was tried again", func(c *caseFile) {
			c.tries = append(c.tries, attempt{to: "x@y", now: begin(), reached: atRCPT, code: 450},
				attempt{to: "x@y", now: begin().Add(time.Minute)})
		}},
		"refused":        {"", func(c *caseFile) { c.lose(attempt{reached: atRCPT, code: 554}) }},
		"in doubt twice": {"", func(c *caseFile) { c.lose(lost, lost) }},
		"in doubt, and refused to one who died of it": {"", func(c *caseFile) {
			c.killed["dead"] = true
			c.lose(lost, attempt{run: "dead", reached: atDotLost, dot: true, code: 451})
		}},
		"in doubt once": {"never had", func(c *caseFile) { c.lose(lost) }},
	} {
		t.Run(name, func(t *testing.T) {
			midnight := firstMidnight()
			c := &caseFile{ledger: newLedger()}
			c.until = midnight
			for i, name := range []string{"one", "two", "three"} {
				to := name + "@example.org"
				c.due[to] = map[string]time.Time{"http://site-0.example/posts/3": midnight,
					"http://site-0.example/posts/4": midnight}
				c.journal = append(c.journal, accepted{conn: 1, run: "run", now: midnight, to: to,
					raw: letterOf(to, fmt.Sprintf("m%d", i+1), midnight, 3, 4), answer: "250 2.0.0 kept"})
			}
			forgery.change(c)
			said := strings.Join(c.judge(c.journal, c.tries).findings, "\n")
			if forgery.finds == "" && said != "" || !strings.Contains(said, forgery.finds) {
				t.Errorf("found %q, want %q", said, forgery.finds)
			}
		})
	}
}

// reword appends the second message again, with another text.
func (c *caseFile) reword(find, with string) {
	second := c.again(1, time.Hour)
	second.raw = bytes.Replace(second.raw, []byte(find), []byte(with), 1)
}
