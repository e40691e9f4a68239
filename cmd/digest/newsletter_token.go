package main

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"

	"digest"
	"digest/store"
)

type newsletterTokenCmd struct {
	slugArg
	Add      string `placeholder:"NAME" xor:"do" env:"-" help:"Create a token for the owner and print it once."`
	ReadOnly bool   `env:"-" help:"With --add: allow reading only."`
	Remove   int64  `placeholder:"ID" xor:"do" env:"-" help:"Revoke a token."`
}

// reportedToken is a token as JSON. Token is set only for a new one.
type reportedToken struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	By       string `json:"by"`
	ReadOnly bool   `json:"read_only"`
	UsedOn   string `json:"used_on"`
	Token    string `json:"token,omitempty"`
}

func (c newsletterTokenCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	switch {
	case c.Add != "":
		return c.add(a, st, n)
	case c.Remove != 0:
		if err := st.Newsletters.RemoveNewsletterToken(a.soft, n.ID, c.Remove); err != nil {
			return err
		}
		return a.say(map[string]any{"slug": n.Slug, "id": c.Remove, "removed": true}, "revoked the token of %s", n.Slug)
	}
	all, err := st.Newsletters.NewsletterTokens(a.soft, n.ID)
	if err != nil {
		return err
	}
	reported := each(all, func(t store.NewsletterToken) reportedToken {
		return reportedToken{t.ID, t.Name, t.Email, t.ReadOnly, t.UsedOn, ""}
	})
	if a.json {
		return a.printJSON(reported)
	}
	return printList(a, reported, "no tokens; see: digest newsletter token --help", func(t reportedToken) string {
		may, used := "reads and changes", "not used yet"
		if t.ReadOnly {
			may = "reads"
		}
		if t.UsedOn != "" {
			used = "last used on " + t.UsedOn
		}
		return fmt.Sprintf("%d\t%s\t%s\t%s\t%s", t.ID, plain(t.Name), t.By, may, used)
	})
}

func (c newsletterTokenCmd) add(a *app, st *store.Store, n digest.Newsletter) error {
	who, err := st.Newsletters.Publishers(a.soft, n.ID) // the owner first
	if err != nil {
		return err
	}
	if len(who) == 0 {
		return digest.Errorf(digest.Conflict, "%s has no owner", n.Slug)
	}
	token := rand.Text() + rand.Text()
	hash := sha256.Sum256([]byte(token))
	id, err := st.Newsletters.AddNewsletterToken(a.soft,
		store.NewsletterToken{NewsletterID: n.ID, UserID: who[0].UserID,
			Name: c.Add, ReadOnly: c.ReadOnly}, hash[:], a.now())
	if err != nil {
		return err
	}
	return a.say(reportedToken{ID: id, Name: strings.TrimSpace(c.Add), By: who[0].Email, ReadOnly: c.ReadOnly,
		Token: token}, "%s", token)
}
