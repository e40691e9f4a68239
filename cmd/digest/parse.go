package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"digest"
	"digest/feed"
)

type parseCmd struct {
	withoutSettings

	File []string `arg:"" help:"Documents: feeds, subscription lists, pages."`
	URL  string   `name:"url" placeholder:"ADDRESS" help:"Where the document was published, for relative links."`
}

const mostDocument = 64 << 20

type parsed struct {
	name    string
	doc     *feed.Document
	warning string // if only a part of the document was read
	err     error
}

// Run prints the parsed documents. One that cannot be parsed does not stop the others. With JSON its error is part of
// the output, and the command fails only if all documents do.
func (c parseCmd) Run(a *app) error {
	address, err := published(c.URL)
	if err != nil {
		return err
	}
	var all parsedList
	var failed []error
	seen := map[string]bool{}
	for _, name := range c.File {
		if seen[name] {
			continue // the output has one result for each name
		}
		seen[name] = true
		p := parse(a.soft, name, address)
		if a.soft.Err() != nil {
			return errInterrupted
		}
		if p.warning != "" {
			fmt.Fprintf(a.stderr, "digest: %s: %s\n", plain(name), plain(p.warning))
		}
		if all = append(all, p); p.err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, p.err))
		}
	}
	if a.json {
		if err := a.printJSON(all); err != nil || len(failed) < len(all) {
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

// published returns the address for resolving links; "" without a flag.
func published(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	normal, err := feed.NormalURL(address)
	if err != nil || !strings.ContainsAny(address, ":.") { // a bare word is not a site
		return "", badSetting("DIGEST_URL", digest.AddressWithoutCredentials(address), "is not a web address",
			"https://example.org/feed.xml")
	}
	if strings.Contains(address, "://") {
		return address, nil // exactly as published
	}
	return normal, nil
}

func parse(ctx context.Context, name, address string) parsed {
	body, err := readFile(ctx, name, mostDocument)
	if err != nil {
		return parsed{name: name, err: err}
	}
	doc, err := feed.Parse(body, "", address)
	if doc != nil && err != nil {
		return parsed{name: name, doc: doc, warning: err.Error()}
	}
	return parsed{name: name, doc: doc, err: err}
}

type parsedList []parsed

// MarshalJSON returns one object keyed by file name, in the order of the arguments.
func (all parsedList) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, p := range all {
		var value any
		if p.err == nil {
			value = feed.Report(p.doc)
		} else {
			value = map[string]string{"error": plain(p.err.Error())}
		}
		b.WriteByte("{,"[min(i, 1)])
		err := enc.Encode(p.name)
		b.WriteByte(':')
		if err = errors.Join(err, enc.Encode(value)); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func printDocument(w io.Writer, name string, d *feed.Document) {
	if f := d.AsFeed(); f != nil && len(f.Posts) > 0 {
		d = f
	}
	fmt.Fprintf(w, "%s: %s, %q", plain(name), d.Kind, d.Title)
	if d.IsFeed() {
		fmt.Fprintf(w, ", %s", digest.Counted(len(d.Posts), "post"))
	} else {
		fmt.Fprintf(w, ", %s", digest.Counted(len(d.Feeds), "feed"))
	}
	fmt.Fprintln(w)
	for _, fact := range [][2]string{{"site", d.Link}, {"language", d.Language}} {
		if fact[1] != "" {
			fmt.Fprintf(w, "  %s: %s\n", fact[0], plain(fact[1]))
		}
	}
	for _, repair := range d.Repairs {
		fmt.Fprintf(w, "  repaired: %s\n", plain(repair))
	}
	for _, o := range d.Feeds {
		fmt.Fprintln(w, strings.TrimRight("  "+plain(o.URL)+"  "+plain(o.Title), " "))
	}
	for i := range d.Posts {
		printPost(w, &d.Posts[i])
	}
}

func printPost(w io.Writer, post *feed.Post) {
	date := "no date         "
	if !post.Published.IsZero() {
		date = post.Published.UTC().Format("2006-01-02 15:04")
	}
	title := cmp.Or(post.Title, post.Sanitise(time.Now()).Title)
	fmt.Fprintf(w, "  %s  %s\n", date, plain(title))
	if post.Link != "" {
		fmt.Fprintf(w, "  %16s  %s\n", "", plain(post.Link))
	}
}
