package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"digest/feed"
)

type parseCmd struct {
	File []string `arg:"" help:"Documents: feeds, subscription lists, pages."`
	URL  string   `name:"url" placeholder:"ADDRESS" help:"Where the document was published, for relative links."`
}

// mostDocument bounds a document that is read into memory, in bytes.
const mostDocument = 64 << 20

// A parsed is what came of one file.
type parsed struct {
	name string
	doc  *feed.Document
	err  error
}

// Run prints what the program reads in documents. A document that cannot be
// read does not stop the others; as JSON it is part of the answer, and only if
// none could be read has the command failed.
func (c parseCmd) Run(a *app) error {
	address, err := published(c.URL)
	if err != nil {
		return err
	}
	var all []parsed
	var failed []error
	seen := map[string]bool{}
	for _, name := range c.File {
		if seen[name] {
			continue // keyed by name, it has one answer
		}
		seen[name] = true
		p := parse(a.soft, name, address)
		if a.soft.Err() != nil {
			return errInterrupted
		}
		if all = append(all, p); p.err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, p.err))
		}
	}
	if a.json {
		if err := a.printParsed(all); err != nil || len(failed) < len(all) {
			return err
		}
		return joinLines(failed)
	}
	for _, p := range all {
		if p.err == nil {
			printDocument(a.stdout, p.name, p.doc)
		}
	}
	return joinLines(failed)
}

// published is the address that links are relative to; none if none is given.
func published(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	normal, err := feed.NormalURL(address)
	if err != nil || !strings.ContainsAny(address, ":.") { // a bare word is no site
		return "", badSetting("DIGEST_URL", address, "is not the address of a document on the web", "https://example.org/feed.xml")
	}
	if strings.Contains(address, "://") {
		return address, nil // as it was published, to the letter
	}
	return normal, nil
}

func parse(ctx context.Context, name, address string) parsed {
	body, err := readFile(ctx, name, mostDocument)
	if err != nil {
		return parsed{name: name, err: err}
	}
	doc, err := feed.Parse(body, "", address)
	return parsed{name, doc, err}
}

// printParsed prints one object keyed by file name, in the order given.
func (a *app) printParsed(all []parsed) error {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeParsed(&b, p); err != nil {
			return fmt.Errorf("printing JSON: %w", err)
		}
	}
	b.WriteString("}\n")
	_, err := b.WriteTo(a.stdout)
	return err
}

func writeParsed(b *bytes.Buffer, p parsed) error {
	var value any = map[string]string{"error": ""}
	if p.err != nil {
		value = map[string]string{"error": plain(p.err.Error())}
	} else {
		value = feed.Report(p.doc)
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p.name); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line end that Encode adds
	b.WriteByte(':')
	if err := enc.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}
