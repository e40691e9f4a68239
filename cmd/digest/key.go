package main

import (
	"strings"

	"digest"
	"digest/internal/domains"
	"digest/internal/seal"
	"digest/store"
	"digest/subscribe"
)

type keyCmd struct {
	List   keyListCmd   `cmd:"" default:"1" help:"List the keys and the number of feeds that each protects."`
	New    keyNewCmd    `cmd:"" help:"Print a new key, for a key file."`
	Rotate keyRotateCmd `cmd:"" help:"Encrypt all passwords with a new key."`
}

type reportedSeal struct {
	ID    string `json:"id"`
	Seals bool   `json:"seals"` // encrypts new passwords
	Known bool   `json:"known"` // is in the key file
	Feeds int    `json:"feeds"` // whose passwords it encrypted

	Newsletters int `json:"newsletters"` // whose signing keys it encrypted
}

type keyListCmd struct{ reads }

func (keyListCmd) Run(a *app, st *store.Store) error {
	var list []reportedSeal
	place := map[string]int{}
	ids, err := a.keys().IDs()
	if err != nil && a.keys().File() != "" {
		return err
	}
	for i, id := range ids {
		place[id] = i
		list = append(list, reportedSeal{ID: id, Seals: i == 0, Known: true})
	}
	feeds, err := st.Feeds.SealedFeeds(a.soft)
	if err != nil {
		return err
	}
	signing, err := st.Newsletters.NewsletterDomains(a.soft)
	if err != nil {
		return err
	}
	sealed := func(with string) *reportedSeal {
		id := seal.IDOf(with)
		if _, known := place[id]; !known {
			place[id] = len(list)
			list = append(list, reportedSeal{ID: id})
		}
		return &list[place[id]]
	}
	for _, f := range feeds {
		sealed(f.Sealed).Feeds++
	}
	for _, d := range signing {
		sealed(d.Sealed).Newsletters++
	}
	return printList(a, list, "there is no key yet; the first private feed makes one, or: digest key new",
		func(k reportedSeal) string {
			use := "in use"
			switch {
			case !k.Known:
				use = "MISSING: the passwords that it encrypted cannot be used"
			case k.Seals:
				use = "seals"
			case k.Feeds+k.Newsletters == 0:
				use = "for backups only"
			}
			return strings.Join([]string{k.ID, use, sealedBy(k.Feeds, "feed", k.Newsletters, "newsletter")}, "\t")
		})
}

// sealedBy counts encrypted values of two kinds, and omits the second if it is 0.
func sealedBy(n int, of string, more int, others string) string {
	if more == 0 {
		return digest.Counted(n, of)
	}
	return digest.Counted(n, of) + ", " + digest.Counted(more, others)
}

type keyNewCmd struct{ withoutSettings }

func (keyNewCmd) Run(a *app) error {
	a.println(seal.New())
	return nil
}

type keyRotateCmd struct {
	Given bool `help:"Use the first key in the key file instead of a new one; copy the file to every machine first."`
}

// Run encrypts all passwords again. The old key stays in the file, for backups.
func (c keyRotateCmd) Run(a *app, st *store.Store) error {
	if !c.Given {
		if _, err := a.keys().Add(); err != nil {
			return err
		}
	}
	n, err := (&subscribe.Subscriber{Store: st, Keys: a.keys()}).Reseal(a.soft)
	if err != nil {
		return err
	}
	signing, err := (&domains.Registrar{Store: st, Keys: a.keys()}).Reseal(a.soft)
	if err != nil {
		return err
	}
	ids, err := a.keys().IDs()
	if err != nil || len(ids) == 0 {
		return err
	}
	return a.say(map[string]any{"id": ids[0], "feeds": n, "newsletters": signing},
		"%s encrypted with the key %s; older keys stay in %s for older backups: remove them when you no longer need those",
		sealedBy(n, "password", signing, "signing key"), ids[0], a.keys().File())
}

// sealAddresses encrypts the passwords that an older version stored in the addresses of feeds.
func (a *app) sealAddresses(st *store.Store) error {
	n, err := (&subscribe.Subscriber{Store: st, Keys: a.keys()}).SealAddresses(a.soft)
	if n > 0 {
		a.log.Info("encrypted passwords that were in feed addresses", "feeds", n, "key", a.keys().File())
	}
	return err
}
