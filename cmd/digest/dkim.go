package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/mailer"
	"digest/store"
)

type dkimCmd struct {
	New    dkimNewCmd    `cmd:"" help:"Create a key for a domain and print the DNS record to publish."`
	List   dkimListCmd   `cmd:"" default:"1" help:"List the keys, with their records."`
	Use    dkimUseCmd    `cmd:"" help:"Sign with this key from now on."`
	Remove dkimRemoveCmd `cmd:"" help:"Delete a key."`
}

type reportedKey struct {
	Domain    string     `json:"domain"`
	Selector  string     `json:"selector"`
	Name      string     `json:"name"`  // of the TXT record
	Value     string     `json:"value"` // of the TXT record
	Active    bool       `json:"active"`
	CreatedAt *time.Time `json:"created_at"`
}

func reportKey(k digest.DKIMKey) (reportedKey, error) {
	name, value, err := mailer.DKIMRecord(k)
	return reportedKey{k.Domain, k.Selector, name, value, k.Active, instant(k.CreatedAt)}, err
}

type dkimNewCmd struct {
	Domain   string `arg:"" help:"The domain of the From address, or a parent domain."`
	Selector string `placeholder:"NAME" help:"Publish the record at NAME._domainkey.DOMAIN (default: a name made from the date)."`
}

// Run creates a key. The first key of a domain signs immediately; a later one waits until its record is visible
// everywhere.
func (c dkimNewCmd) Run(a *app) error {
	key, err := mailer.NewDKIMKey(c.Domain, c.Selector, a.now())
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		if key.Active, err = st.Editions.AddDKIMKey(a.soft, key); err != nil {
			return err
		}
		r, err := reportKey(key)
		if err != nil {
			return err
		}
		next := fmt.Sprintf("another key signs until you run: digest dkim use %s %s", r.Domain, r.Selector)
		if key.Active {
			next = fmt.Sprintf(
				"digest signs email from %s with it from now on; digest doctor checks whether the record is visible",
				r.Domain)
		}
		return a.say(r, "created a key for %s; publish this TXT record:\n\n  name:  %s\n  value: %s\n\nas a line of a zone file:\n\n  %s\n\n%s",
			r.Domain, r.Name, r.Value, zoneLine(r.Name, r.Value), next)
	})
}

// zoneLine returns a TXT record for a zone file, in strings of at most 255 octets (RFC 1035 §3.3.14).
func zoneLine(name, value string) string {
	var parts []string
	for part := range slices.Chunk([]byte(value), 255) {
		parts = append(parts, `"`+string(part)+`"`)
	}
	return name + ". IN TXT ( " + strings.Join(parts, " ") + " )"
}

type dkimListCmd struct{ reads }

func (dkimListCmd) Run(a *app, st *store.Store) error {
	keys, err := st.Editions.DKIMKeys(a.soft)
	if err != nil {
		return err
	}
	list := make([]reportedKey, len(keys))
	for i, k := range keys {
		if list[i], err = reportKey(k); err != nil {
			return err
		}
	}
	return printList(a, list, "there is no key, so digest does not sign email; an example: digest dkim new example.org",
		func(k reportedKey) string {
			use := "waits"
			if k.Active {
				use = "signs"
			}
			return strings.Join([]string{k.Domain, k.Selector, use, k.Name, k.Value}, "\t")
		})
}

type keyArg struct {
	Domain   string `arg:""`
	Selector string `arg:""`
}

type dkimUseCmd struct{ keyArg }

func (c dkimUseCmd) Run(a *app, st *store.Store) error {
	if err := st.Editions.UseDKIMKey(a.soft, strings.ToLower(c.Domain), strings.ToLower(c.Selector)); err != nil {
		return err
	}
	return a.say(map[string]any{"domain": c.Domain, "selector": c.Selector, "active": true},
		"digest signs email from %s with %s from now on; keep the old record for a week, for email that is not delivered yet", c.Domain, c.Selector)
}

type dkimRemoveCmd struct{ keyArg }

func (c dkimRemoveCmd) Run(a *app, st *store.Store) error {
	if err := st.Editions.RemoveDKIMKey(a.soft, strings.ToLower(c.Domain), strings.ToLower(c.Selector)); err != nil {
		return err
	}
	return a.say(map[string]any{"domain": c.Domain, "selector": c.Selector, "removed": true},
		"deleted the key %s of %s", c.Selector, c.Domain)
}
