package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"digest/feed"
)

// printDocument shows a document to a person.
func printDocument(w io.Writer, name string, d *feed.Document) {
	fmt.Fprintf(w, "%s: %s, %q", plain(name), d.Kind, d.Title)
	if d.IsFeed() {
		fmt.Fprintf(w, ", %s", count(len(d.Posts), "post"))
	} else {
		fmt.Fprintf(w, ", %s", count(len(d.Feeds), "feed"))
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
