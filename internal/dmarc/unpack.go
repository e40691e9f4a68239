package dmarc

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// unpack returns the XML of an attachment: plain, or in a gzip or ZIP file.
func unpack(attachment []byte) ([]byte, error) {
	var r io.Reader = bytes.NewReader(attachment)
	var err error
	switch {
	case bytes.HasPrefix(attachment, []byte("\x1f\x8b")):
		r, err = gzip.NewReader(r)
	case bytes.HasPrefix(attachment, []byte("PK\x03\x04")):
		r, err = openZIP(attachment)
	}
	if err != nil {
		return nil, fmt.Errorf("unpacking it: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxXML+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpacking it: %w", err)
	case len(text) > maxXML, bytes.Count(text, []byte("=")) > maxEquals:
		return nil, errTooLarge
	}
	return text, nil
}

// openZIP opens the file in a ZIP file that ends with .xml, or the only one.
func openZIP(attachment []byte) (io.Reader, error) {
	z, err := zip.NewReader(bytes.NewReader(attachment), int64(len(attachment)))
	switch {
	case err != nil:
		return nil, err
	case len(z.File) > maxFiles:
		return nil, errTooLarge
	}
	for _, f := range z.File {
		if len(z.File) == 1 || strings.HasSuffix(strings.ToLower(f.Name), ".xml") {
			return f.Open()
		}
	}
	return nil, errNoReport
}

// An xmlReport holds the elements of a report that ParseReport uses.
type xmlReport struct {
	Metadata struct {
		Organization string `xml:"org_name"`
		Email        string `xml:"email"`
		ID           string `xml:"report_id"`
		Begin        string `xml:"date_range>begin"`
		End          string `xml:"date_range>end"`
	}
	Policy struct {
		Domain string `xml:"domain"`
	}
	Records []xmlRecord
}

type xmlRecord struct {
	Source      string      `xml:"row>source_ip"`
	Count       string      `xml:"row>count"`
	Disposition string      `xml:"row>policy_evaluated>disposition"`
	SPFAligned  string      `xml:"row>policy_evaluated>spf"`
	DKIMAligned string      `xml:"row>policy_evaluated>dkim"`
	From        string      `xml:"identifiers>header_from"`
	SPF         []xmlResult `xml:"auth_results>spf"`
	DKIM        []xmlResult `xml:"auth_results>dkim"`
}

type xmlResult struct {
	Domain string `xml:"domain"`
	Scope  string `xml:"scope"`
	Result string `xml:"result"`
}

// boundedTokens limits the tokens of an XML document. It returns an error for a document type, which could define
// entities, for deep nesting and for too many elements.
type boundedTokens struct {
	*xml.Decoder
	depth    int
	elements int
}

func (b *boundedTokens) Token() (xml.Token, error) {
	token, err := b.RawToken()
	switch token.(type) {
	case xml.Directive:
		return nil, errNoReport
	case xml.StartElement:
		b.depth++
		if b.elements++; b.depth > maxDepth || b.elements > maxElements {
			return nil, errTooLarge
		}
	case xml.EndElement:
		b.depth--
	}
	return token, err
}

// readXML parses a report's XML, with any namespace.
func readXML(text []byte) (doc xmlReport, err error) {
	raw := xml.NewDecoder(bytes.NewReader(text))
	raw.CharsetReader = charset.NewReaderLabel
	d := xml.NewTokenDecoder(&boundedTokens{Decoder: raw})
	root := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && root {
			return doc, nil
		}
		if err != nil {
			return doc, unreadable(err)
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case !root && start.Name.Local != "feedback":
			return doc, errNoReport
		case !root:
			root = true
		default:
			if err := doc.read(d, start); err != nil {
				return doc, unreadable(err)
			}
		}
	}
}

func (doc *xmlReport) read(d *xml.Decoder, start xml.StartElement) error {
	switch start.Name.Local {
	case "report_metadata":
		return d.DecodeElement(&doc.Metadata, &start)
	case "policy_published":
		return d.DecodeElement(&doc.Policy, &start)
	case "record":
		if len(doc.Records) == maxRecords {
			return errTooLarge
		}
		doc.Records = append(doc.Records, xmlRecord{})
		return d.DecodeElement(&doc.Records[len(doc.Records)-1], &start)
	}
	return d.Skip()
}

func unreadable(err error) error {
	if errors.Is(err, errTooLarge) || errors.Is(err, errNoReport) {
		return err
	}
	return fmt.Errorf("%w: %w", errNoReport, err)
}
