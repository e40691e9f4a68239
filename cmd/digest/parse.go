package main

import (
	"bytes"
	"encoding/json"
	"fmt"

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
func (c parseCmd) Run(e *env) error {
	all := make([]parsed, len(c.File))
	var failed []error
	for i, name := range c.File {
		all[i] = parse(name, c.URL)
		if all[i].err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, all[i].err))
		}
	}
	if e.json {
		if err := e.printParsed(all); err != nil || len(failed) < len(all) {
			return err
		}
		return joinLines(failed)
	}
	for _, p := range all {
		if p.err == nil {
			printDocument(e.stdout, p.name, p.doc)
		}
	}
	return joinLines(failed)
}

func parse(name, address string) parsed {
	body, err := readFile(name, mostDocument)
	if err != nil {
		return parsed{name: name, err: err}
	}
	doc, err := feed.Parse(body, "", address)
	return parsed{name, doc, err}
}

// printParsed prints one object keyed by file name, in the order given.
func (e *env) printParsed(all []parsed) error {
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
	_, err := b.WriteTo(e.stdout)
	return err
}

func writeParsed(b *bytes.Buffer, p parsed) error {
	var value any = map[string]string{"error": ""}
	if p.err != nil {
		value = map[string]string{"error": oneLine(p.err.Error())}
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
