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
	method, params, err := readCall(body)
	if err != nil {
		return Ping{}, &digest.Error{Kind: digest.Invalid, Message: "the body is not an XML-RPC call", Err: errors.Join(errCall, err)}
	}
	var feed []string
	switch strings.ToLower(method) {
	case "weblogupdates.ping", "weblogupdates.extendedping":
		// name, url, the page that changed, and the feed: the best is last.
		params = append(params, "", "", "", "")
		feed = addresses(params[3], params[2], params[1])
	case "rsscloud.ping":
		feed = addresses(append(params, "")[0])
	default:
		return Ping{}, &digest.Error{Kind: digest.NotFound, Message: "there is no such method; weblogUpdates.ping is one"}
	}
	if len(feed) == 0 {
		return Ping{}, errNoAddress()
	}
	return Ping{Feeds: [][]string{feed}}, nil
}

// readCall gives the method of an XML-RPC call and its parameters as text.
// A type element around a value is optional. Addresses are ASCII, so the
// charset does not matter: what is not UTF-8 can only be in a name.
func readCall(body []byte) (method string, params []string, err error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(body, []byte("?"))))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var c call
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", nil, err
		}
		if err := c.read(t); err != nil {
			return "", nil, err
		}
	}
	if c.method == "" {
		return "", nil, errors.New("it names no method")
	}
	return c.method, c.params, nil
}

// A call is an XML-RPC call as far as it has been read.
type call struct {
	method string
	params []string
	rooted bool
	text   strings.Builder
}

func (c *call) read(t xml.Token) error {
	switch t := t.(type) {
	case xml.Directive:
		return errors.New("it has a document type")
	case xml.CharData:
		c.text.Write(t)
	case xml.StartElement:
		if !c.rooted && t.Name.Local != "methodCall" {
			return errors.New("it does not begin with methodCall")
		}
		c.rooted = true
		if t.Name.Local == "methodName" || t.Name.Local == "param" {
			c.text.Reset()
		}
	case xml.EndElement:
		return c.end(t.Name.Local)
	}
	return nil
}

func (c *call) end(name string) error {
	switch name {
	case "methodName":
		c.method = strings.TrimSpace(c.text.String())
	case "param":
		if len(c.params) == maxParams {
			return errors.New("it has too many parameters")
		}
		c.params = append(c.params, strings.TrimSpace(c.text.String()))
	}
	return nil
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
