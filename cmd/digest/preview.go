package main

import (
	"fmt"

	"digest"
	"digest/render"
	"digest/store"
)

type previewCmd struct {
	reads
	readerArg
	HTML bool `name:"html" xor:"version" help:"The HTML version."`
	Text bool `xor:"version" help:"The text version (the default)."`
}

// Run prints the edition of the next midnight and changes nothing.
func (c previewCmd) Run(a *app, st *store.Store, u digest.User, d digest.Digest) error {
	if err := a.noteFence(st); err != nil {
		return err
	}
	signer, err := a.signer(st)
	if err != nil {
		return err
	}
	edition, err := a.editions(st, signer).Preview(a.soft, d, u)
	if err != nil {
		return err
	}
	m, err := render.New(nil).Mail(edition)
	if err != nil {
		return fmt.Errorf("rendering the preview: %w", err)
	}
	return a.printMessage(m, c.HTML)
}

func (a *app) printMessage(m render.Message, html bool) (err error) {
	switch {
	case a.json:
		return a.printJSON(map[string]string{"subject": m.Subject, "html": m.HTML, "text": m.Text})
	case html:
		_, err = fmt.Fprintln(a.stdout, m.HTML)
	default:
		_, err = fmt.Fprintf(a.stdout, "Subject: %s\n\n%s\n", plain(m.Subject), digest.PlainLines(m.Text))
	}
	return err
}
