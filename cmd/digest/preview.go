package main

import (
	"fmt"

	"digest/render"
	"digest/store"
)

type previewCmd struct {
	Email string `arg:""`
	HTML  bool   `name:"html" xor:"version" help:"The HTML version."`
	Text  bool   `xor:"version" help:"The text version (the default)."`
}

// Run prints the edition that the next midnight would bring; nothing changes.
func (c previewCmd) Run(e *env) error {
	return e.withStore(func(st *store.Store) error {
		u, d, err := e.reader(st, c.Email)
		if err != nil {
			return err
		}
		signer, err := e.signer(st)
		if err != nil {
			return err
		}
		page, err := e.editions(st, signer).Preview(e.soft, d, u.Email)
		if err != nil {
			return err
		}
		m, err := render.Mail(page)
		if err != nil {
			return fmt.Errorf("rendering the preview: %w", err)
		}
		switch {
		case e.json:
			return e.printJSON(map[string]string{"subject": m.Subject, "html": m.HTML, "text": m.Text})
		case c.HTML:
			_, err = fmt.Fprintln(e.stdout, m.HTML)
		default:
			_, err = fmt.Fprintf(e.stdout, "Subject: %s\n\n%s\n", plain(m.Subject), plainText(m.Text))
		}
		return err
	})
}
