package mailer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"digest"
)

const (
	maxReplyLines = 100
	maxReplyText  = 500 // stored bytes of the text
)

// readReply reads one reply of one or more lines (RFC 5321 §4.2.1). Lines may end with LF only, as some servers send
// them. After an error the connection cannot be used.
func readReply(r *bufio.Reader) (Reply, error) {
	var reply Reply
	var text strings.Builder
	for range maxReplyLines {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return Reply{}, fmt.Errorf("reading the reply: %w", err)
		}
		code, rest, more, err := parseReplyLine(line)
		if err != nil {
			return Reply{}, err
		}
		if reply.Code == 0 {
			reply.Code = code
		} else if reply.Code != code {
			return Reply{}, fmt.Errorf("a reply starts with %d and continues with %d", reply.Code, code)
		}
		enhanced, rest := cutEnhanced(code, rest)
		if reply.Enhanced == "" {
			reply.Enhanced = enhanced
		}
		if text.Len() < maxReplyText {
			text.WriteString(rest + " ")
		}
		if !more {
			reply.Text = short(text.String())
			return reply, nil
		}
	}
	return Reply{}, errors.New("a reply without an end")
}

// replyLine matches one line of a reply: its code, whether more lines follow, and the text.
var replyLine = regexp.MustCompile(`^([2-5]\d\d)(?:([ -])(.*))?$`)

func parseReplyLine(line []byte) (code int, rest string, more bool, err error) {
	found := replyLine.FindSubmatch(bytes.TrimRight(line, "\r\n"))
	if found == nil {
		return 0, "", false, fmt.Errorf("%q is not a reply", digest.FirstBytes(string(line), 80))
	}
	code, err = strconv.Atoi(string(found[1]))
	return code, string(found[3]), string(found[2]) == "-", err
}

var enhancedCode = regexp.MustCompile(`^(\d\.\d{1,3}\.\d{1,3})(?: |$)`)

// cutEnhanced removes an enhanced status code from a line (RFC 2034 §4). Its class must equal the class of the reply.
func cutEnhanced(code int, text string) (enhanced, rest string) {
	found := enhancedCode.FindStringSubmatch(text)
	if found == nil || found[1][:1] != strconv.Itoa(code/100) {
		return "", text
	}
	return found[1], text[len(found[0]):]
}

// mostHint limits the delay that a server can request: the longest step of the schedule.
const mostHint = 4 * time.Hour

// hintPattern matches a number that is a delay, not a limit or a size, by the words before it: "try again in 300
// seconds", "greylisted for 5 minutes", "come back in 00:04:30".
var hintPattern = regexp.MustCompile(
	`(?i)\b(?:in|after|for|wait)\W+(?:(?:about|approximately|at|least|another|more)\W+)*` +
		`(?:(\d\d?):([0-5]\d):([0-5]\d)|(\d{1,9})\W*(s|m|h)(?:ecs?|econds?|ins?|inutes?|rs?|ours?)?)\b`)

// waitHint returns the delay that a server requests, or 0.
func (r Reply) waitHint() time.Duration {
	found := hintPattern.FindStringSubmatch(r.Text)
	if r.Code/100 != 4 || found == nil {
		return 0
	}
	text := found[4] + strings.ToLower(found[5])
	if found[4] == "" {
		text = found[1] + "h" + found[2] + "m" + found[3] + "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil { // out of range
		return mostHint
	}
	return min(d, mostHint)
}
