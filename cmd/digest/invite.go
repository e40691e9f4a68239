package main

import (
	"fmt"

	"digest/store"
	"digest/web"
)

type inviteCmd struct{}

// Run prints a link by which one person can sign up.
func (inviteCmd) Run(e *env) error {
	if e.signUp == web.SignUpClosed {
		return badSetting("DIGEST_SIGN_UP", string(e.signUp), "lets nobody in, with an invitation or without", "invitation")
	}
	return e.withStore(func(st *store.Store) error {
		link, i, err := web.InvitationLink(e.soft, st, e.baseURL, e.now())
		if err != nil {
			return err
		}
		if e.json {
			return e.printJSON(map[string]any{"id": i.ID, "url": link, "expires_at": instant(i.ExpiresAt)})
		}
		fmt.Fprintln(e.stdout, link)
		return nil
	})
}
