package main

import (
	"digest/store"
	"digest/web/operator"
	"digest/web/page"
)

type inviteCmd struct{}

func (inviteCmd) Run(a *app) error {
	if a.SignUp == page.SignUpClosed {
		return badSetting("DIGEST_SIGN_UP", string(a.SignUp), "lets nobody in, with an invitation or without",
			"invitation")
	}
	return a.withStore(func(st *store.Store) error {
		link, i, err := operator.InvitationLink(a.soft, st, a.BaseURL, a.now())
		if err != nil {
			return err
		}
		return a.say(map[string]any{"id": i.ID, "url": link, "expires_at": instant(i.ExpiresAt)}, "%s", link)
	})
}
