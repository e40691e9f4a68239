package mailer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
)

const (
	maxReplyLines = 100
	maxReplyText  = 500 // what is kept of it
)

// readReply reads one reply, of one line or several (RFC 5321 §4.2.1). Lines may
// end with LF alone, as some servers' do. Anything else that is not a reply is
// an error, after which the connection cannot be trusted.
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
			return Reply{}, fmt.Errorf("a reply that begins with %d goes on with %d", reply.Code, code)
		}
		enhanced, rest := cutEnhanced(code, rest)
		if reply.Enhanced == "" {
			reply.Enhanced = enhanced
		}
		if text.Len() < maxReplyText {
			text.WriteString(rest + " ")
		}
		if !more {
			reply.Text = shorten(oneLine(text.String()), maxReplyText)
			return reply, nil
		}
	}
	return Reply{}, errors.New("a reply without an end")
}

func parseReplyLine(line []byte) (code int, rest string, more bool, err error) {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) < 3 {
		return 0, "", false, fmt.Errorf("%q is not a reply", line)
	}
	for _, c := range line[:3] {
		if c < '0' || c > '9' {
			return 0, "", false, fmt.Errorf("%q is not a reply", shorten(string(line), 80))
		}
		code = code*10 + int(c-'0')
	}
	if code < 200 || code > 599 {
		return 0, "", false, fmt.Errorf("a reply cannot have the code %d", code)
	}
	if len(line) == 3 {
		return code, "", false, nil
	}
	if line[3] != ' ' && line[3] != '-' {
		return 0, "", false, fmt.Errorf("%q is not a reply", shorten(string(line), 80))
	}
	return code, string(line[4:]), line[3] == '-', nil
}

// cutEnhanced takes an enhanced status code off a line (RFC 2034 §4): its class
// must be that of the reply.
func cutEnhanced(code int, text string) (enhanced, rest string) {
	first, rest, _ := strings.Cut(text, " ")
	parts := strings.Split(first, ".")
	if len(parts) != 3 || parts[0] != string(rune('0'+code/100)) {
		return "", text
	}
	for _, p := range parts {
		if len(p) == 0 || len(p) > 3 || strings.Trim(p, "0123456789") != "" {
			return "", text
		}
	}
	return first, rest
}

// shorten cuts s to at most n bytes, between characters.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
