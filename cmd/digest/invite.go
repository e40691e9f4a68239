package main

import (
	"fmt"

	"digest/store"
	"digest/web"
)

type inviteCmd struct{}

// Run prints a link by which one person can sign up.
func (inviteCmd) Run(a *app) error {
	if a.signUp == web.SignUpClosed {
		return badSetting("DIGEST_SIGN_UP", string(a.signUp), "lets nobody in, with an invitation or without", "invitation")
	}
	return a.withStore(func(st *store.Store) error {
		link, i, err := web.InvitationLink(a.soft, st, a.baseURL, a.now())
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]any{"id": i.ID, "url": link, "expires_at": instant(i.ExpiresAt)})
		}
		fmt.Fprintln(a.stdout, link)
		return nil
	})
}
