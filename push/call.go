package push

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"digest"
)

// maxParams is more than any method has.
const maxParams = 16

// errCall is why a body is no XML-RPC call at all.
var errCall = errors.New("not an XML-RPC call")

func parseCall(body []byte) (Ping, error) {
	c, err := readCall(body)
	if err != nil {
		return Ping{}, &digest.Error{Kind: digest.Invalid, Message: "the body is not an XML-RPC call",
			Err: errors.Join(errCall, err)}
	}
	params := make([]string, maxParams)
	for i, p := range c.Params {
		params[i] = p.text()
	}
	var feed []string
	switch strings.ToLower(strings.TrimSpace(c.Method)) {
	case "weblogupdates.ping", "weblogupdates.extendedping":
		// name, url, the page that changed, and the feed: the best is last.
		feed = addresses(params[3], params[2], params[1])
	case "rsscloud.ping":
		feed = addresses(params[0])
	default:
		return Ping{}, &digest.Error{Kind: digest.NotFound, Message: "unknown method; use weblogUpdates.ping"}
	}
	if len(feed) == 0 {
		return Ping{}, errNoAddress()
	}
	return Ping{Feeds: [][]string{feed}}, nil
}

// A call is an XML-RPC call.
type call struct {
	XMLName xml.Name `xml:"methodCall"`
	Method  string   `xml:"methodName"`
	Params  []param  `xml:"params>param"`
}

// A param is text, in elements that say what it is or without them.
type param struct {
	Text   string  `xml:",chardata"`
	Within []param `xml:",any"`
}

func (p param) text() string {
	text := p.Text
	for _, w := range p.Within {
		text += w.text()
	}
	return strings.TrimSpace(text)
}

// readCall reads an XML-RPC call. Addresses are ASCII, so the charset does not
// matter: what is not UTF-8 can only be in a name.
func readCall(body []byte) (c call, err error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(body, []byte("?"))))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	if err := d.Decode(&c); err != nil {
		return c, err
	}
	switch {
	case bytes.Contains(body, []byte("<!DOCTYPE")):
		return c, errors.New("it has a document type")
	case c.Method == "":
		return c, errors.New("it has no method name")
	case len(c.Params) > maxParams:
		return c, errors.New("it has too many parameters")
	}
	return c, nil
}

// Answer is what an XML-RPC call that Parse gave err for is answered with, nil
// for one that was taken. The status is 200 whatever it says.
func Answer(err error) []byte {
	switch {
	case err == nil:
		return response(false, "Thanks for the ping.")
	case digest.KindOf(err) == digest.NotFound:
		return fault(4, message(err))
	case errors.Is(err, errCall):
		return fault(1, message(err))
	}
	return response(true, message(err))
}

// message is what the caller may read of an error.
func message(err error) string {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		return e.Message
	}
	return "not now; try again later"
}

func response(failed bool, message string) []byte {
	flag := 0
	if failed {
		flag = 1
	}
	return document("<params><param><value>" + structure(
		"flerror", fmt.Sprintf("<boolean>%d</boolean>", flag),
		"message", "<string>"+escape(message)+"</string>") + "</value></param></params>")
}

func fault(code int, message string) []byte {
	return document("<fault><value>" + structure(
		"faultCode", fmt.Sprintf("<int>%d</int>", code),
		"faultString", "<string>"+escape(message)+"</string>") + "</value></fault>")
}

// structure is a struct of two members.
func structure(name1, value1, name2, value2 string) string {
	const member = "<member><name>%s</name><value>%s</value></member>"
	return fmt.Sprintf("<struct>"+member+member+"</struct>", name1, value1, name2, value2)
}

func document(inner string) []byte {
	return []byte(xml.Header + "<methodResponse>" + inner + "</methodResponse>\n")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
