package digest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// OneLine makes foreign text safe for a header, a log and a table. It replaces control characters and runs of white
// space by single spaces, and invalid UTF-8 by U+FFFD.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// PlainLines makes foreign text of several lines safe for a page and a terminal. It keeps lines and spaces, replaces
// other control characters by spaces and invalid UTF-8 by U+FFFD, and removes bidirectional controls (WithoutTurns).
func PlainLines(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, WithoutTurns(strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")))
}

// Counted returns a number with a noun: "0 posts", "1 post", "2 posts".
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Shortened returns the first n characters of a text, with "…" if it dropped some.
func Shortened(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// FirstBytes returns at most the first n bytes of a text. It splits no character, and adds no "…".
func FirstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// FillSubject fills the pattern of a newsletter's subjects: {title} is the first headline of an issue, {date} its day,
// and {name} the newsletter's name. It returns "" without a pattern, and without a title for {title}.
func FillSubject(pattern, title, date, name string) string {
	if title == "" && strings.Contains(pattern, "{title}") {
		return ""
	}
	return OneLine(strings.NewReplacer("{title}", title, "{date}", date, "{name}", name).Replace(pattern))
}

// CheckSubject returns an error of the kind Invalid if FillSubject does not accept a pattern.
func CheckSubject(pattern string) error {
	switch pattern = strings.TrimSpace(pattern); {
	case strings.ContainsFunc(pattern, unicode.IsControl):
		return Refuse(Invalid, "the subject must be one line without control characters; remove them")
	case strings.ContainsAny(FillSubject(pattern, "x", "x", "x"), "{}"):
		return Refuse(Invalid, "the subject can have {title}, {date} and {name}; remove other braces")
	}
	return checkText(Words("Subject"), pattern, maxLetterSubject)
}

// A Span is a part of a text: an address, or the text between addresses.
type Span struct {
	Text string
	URL  string // "" if it is not an address
}

// Spans splits a text at the addresses in it, so that callers can link them. An address begins with https:// at the
// beginning of a word and is plain ASCII, so that it cannot look like another one. The punctuation after it is not part
// of it.
func Spans(s string) (all []Span) {
	const scheme = "https://"
	done := 0
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], scheme)
		if i < 0 {
			break
		}
		from := at + i
		to := from + addressEnd(s[from:])
		at = to
		if before, _ := utf8.DecodeLastRuneInString(s[:from]); unicode.IsLetter(before) || unicode.IsDigit(before) ||
			!isPlainURL(s[from:to]) {
			continue
		}
		if from > done {
			all = append(all, Span{Text: s[done:from]})
		}
		all, done = append(all, Span{s[from:to], s[from:to]}), to
	}
	if done < len(s) {
		all = append(all, Span{Text: s[done:]})
	}
	return all
}

// addressEnd returns the length of the address at the beginning of s. A closing parenthesis at its end belongs to it
// only if it contains an opening one.
func addressEnd(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) ||
			strings.ContainsRune(`<>"“”‘’«»`, r)
	}); i >= 0 {
		s = s[:i]
	}
	for {
		short := strings.TrimRight(s, ".,;:!?'…")
		if strings.HasSuffix(short, ")") && !strings.Contains(short, "(") {
			short = short[:len(short)-1]
		}
		if short == s {
			return len(s)
		}
		s = short
	}
}

func isPlainURL(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\^`{|}", r) }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && u.User == nil
}

// WithoutTurns removes the characters that embed, override or isolate a direction, because they would reorder the text
// around them.
func WithoutTurns(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}

// MostHost is the maximum length of a host in the DNS, in characters (RFC 1035 section 2.3.4).
const MostHost = 253

// ASCIIHost returns a host as mail and the DNS write it: in lower case, with internationalised labels as A-labels (RFC
// 5890 section 2.3.2.1). It returns an error for a longer non-ASCII host than MostHost, because the time to convert it
// grows with the square of its length.
func ASCIIHost(host string) (string, error) {
	if strings.IndexFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(host), nil
	}
	if utf8.RuneCountInString(host) > MostHost {
		return "", errLongHost
	}
	return idna.Lookup.ToASCII(host)
}

var errLongHost = errors.New("no host has more than 253 characters")

// Bare wraps an error of the network, a name lookup or a file. Its text is only the cause, such as "connection refused"
// for "dial tcp 192.0.2.1:25: connect: connection refused". Other errors keep their text.
func Bare(err error) error { return bareError{err} }

type bareError struct{ err error }

func (e bareError) Error() string { return bareText(e.err) }

func (e bareError) Unwrap() error { return e.err }

func bareText(err error) string {
	if e, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && e.Timeout() {
		return "no answer in time"
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		if _, server, ok := strings.Cut(e.Err, "->"); ok { // "read udp 192.0.2.1:4711->192.0.2.53:53: …"
			return server
		}
		return e.Err
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return bareText(e.Err)
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// Kind groups errors by the way a person can solve them.
type Kind string

const (
	Invalid     Kind = "invalid"     // the input cannot be used
	NotFound    Kind = "not found"   // does not exist
	Conflict    Kind = "conflict"    // exists already, or belongs to somebody
	Unavailable Kind = "unavailable" // not now: network, disk or another process
)

// An Error can be shown to a person. Message is one line that says what failed and what to do. Err is the cause, for
// logs.
type Error struct {
	Kind    Kind
	Message string
	Err     error

	// Format and Values are the arguments of Refuse; "": the message exists only in English.
	Format string
	Values []any
}

// Words is a part of a message that is itself translated. It is a value for Refuse: Words("the name").
type Words string

// Refuse returns an error whose message is shown in the reader's language. Package catalogue finds the translation by
// format, so callers pass it as a literal.
func Refuse(kind Kind, format string, values ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, values...), Format: format, Values: values}
}

// Errorf returns an error whose message exists only in English.
func Errorf(kind Kind, format string, values ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, values...)}
}

// Error returns the message, followed by the cause if there is one.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first *Error in err's chain, or "".
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
