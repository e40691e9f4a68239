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

// maxParams exceeds the number of parameters of any supported method.
const maxParams = 16

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
		// The parameters are name, url, changed page and feed. The feed is the best, so it is first.
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

type call struct {
	XMLName xml.Name `xml:"methodCall"`
	Method  string   `xml:"methodName"`
	Params  []param  `xml:"params>param"`
}

// A param is the text of a parameter. XML-RPC permits a type element around the text and also plain text.
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

// readCall reads an XML-RPC call. It ignores the charset and replaces invalid UTF-8 with "?": addresses are
// ASCII, so only names can suffer.
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

// Answer returns the XML-RPC response to a call for which Parse returned err. A nil err means that the call
// was accepted. The HTTP status is 200 in every case.
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

// message returns the part of an error that the caller may see.
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

func structure(name1, value1, name2, value2 string) string {
	const member = "<member><name>%s</name><value>%s</value></member>"
	return fmt.Sprintf("<struct>"+member+member+"</struct>", name1, value1, name2, value2)
}

func document(inner string) []byte {
	return []byte(xml.Header + "<methodResponse>" + inner + "</methodResponse>\n")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}
