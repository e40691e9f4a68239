package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/render"
)

// The letters. Nothing in those that strangers can ask for was typed by anybody: not even
// the address they go to, so that nobody can have words of his own sent to others from here.

func signInLetter(base, token string, life time.Duration) render.LetterContent {
	return render.LetterContent{
		Title:  "Your sign-in link",
		Text:   []string{"Somebody, most likely you, asked to sign in with this address.", "The link opens a page with a button that signs you in. It works once, within " + hours(life) + "."},
		Action: "Sign in", URL: base + "/sign-in?token=" + token,
		Aside: []string{"If it was not you, do nothing: nobody comes in without this link. However often strangers ask, such letters come further and further apart."},
	}
}

// operatorSignInLetter is one that an operator has mailed to a reader.
func operatorSignInLetter(base, token string, life time.Duration) render.LetterContent {
	return render.LetterContent{
		Title:  "Your sign-in link",
		Text:   []string{"Whoever runs this has this link mailed to you, most likely because you could not sign in.", "The link opens a page with a button that signs you in. It works once, within " + hours(life) + "."},
		Action: "Sign in", URL: base + "/sign-in?token=" + token,
		Aside: []string{"If you do not need it, do nothing: nobody comes in without this link, and nobody but you was sent it."},
	}
}

// hours writes a span of whole hours.
func hours(d time.Duration) string {
	if d == time.Hour {
		return "an hour"
	}
	return strconv.Itoa(int(d.Hours())) + " hours"
}

func signUpLetter(base, token string) render.LetterContent {
	return render.LetterContent{
		Title: "Confirm your address",
		Text: []string{
			"Somebody, most likely you, asked for a daily digest at this address: a newspaper made of the sites you choose, once a day, at your own midnight.",
			"The link opens a page with a button. Nothing begins before you press it. It works once, within a day.",
		},
		Action: "Confirm", URL: base + "/sign-up/confirm?token=" + token,
		Aside: []string{"If it was not you, do nothing: there is no account, and no other mail comes. At most a few such letters a day are sent to an address."},
	}
}

func oldAddressLetter(base, token string) render.LetterContent {
	return render.LetterContent{
		Title: "Should your mail go elsewhere?",
		Text: []string{
			"Somebody who is signed in as you asked that your mail go to another address from now on. The page behind the link says which.",
			"It changes when you agree here and whoever reads the other address agrees there, both within a day.",
		},
		Action: "See and agree", URL: base + "/settings/address/confirm?token=" + token,
		Aside: []string{"If it was not you, do not agree. Sign in, and choose “Sign out everywhere” in the settings."},
	}
}

func newAddressLetter(base, token string) render.LetterContent {
	return render.LetterContent{
		Title: "Confirm your new address",
		Text: []string{
			"A reader, most likely you, asked that their daily digest come to this address from now on.",
			"It changes when you agree here and whoever reads the present address agrees there, both within a day.",
		},
		Action: "See and agree", URL: base + "/settings/address/confirm?token=" + token,
		Aside: []string{"If it was not you, do nothing: no mail comes."},
	}
}

// takenLetter goes to an address that another reader asked for and that has an
// account of its own. The one who asked is told what everybody is told.
func takenLetter(base string) render.LetterContent {
	return render.LetterContent{
		Title:  "Your address has an account already",
		Text:   []string{"A reader, perhaps you, asked that the mail of another account come to this address. It has an account of its own, so nothing was changed.", "To bring the two together, sign in here and delete this account first; then ask again from the other one."},
		Action: "Sign in", URL: base + "/sign-in",
		Aside: []string{"If it was not you, do nothing."},
	}
}

func passkeyAddedLetter(base string) render.LetterContent {
	return passkeyLetter(base, "A passkey was added", "A passkey was added to your account just now. Whoever has it can sign in as you without a letter.")
}

func passkeyRemovedLetter(base string) render.LetterContent {
	return passkeyLetter(base, "A passkey was removed", "A passkey or more were removed from your account just now. They sign nobody in any more.")
}

func passkeyLetter(base, title, what string) render.LetterContent {
	return render.LetterContent{
		Title: title, Text: []string{what, "If it was you, there is nothing to do."},
		Action: "See your passkeys", URL: base + "/settings/passkeys",
		Aside: []string{"If it was not you, choose “Sign out everywhere” there, and have the passkeys removed that are not yours."},
	}
}

// TestLetter lets somebody see that mail from an instance arrives, and how.
func TestLetter(base string, now time.Time) render.LetterContent {
	return render.LetterContent{
		Title: "A test of the mail of " + base,
		Text: []string{"This is a test, sent by hand " + minute(now) + " UTC. If you read it in your inbox, the editions of readers can arrive there too.",
			"If it was in the spam folder, look at what “digest doctor” says."},
		Action: "See how this instance stands", URL: base + "/operator",
	}
}

// ApprovedLetter tells the owner of a newsletter that it is approved.
func ApprovedLetter(base string, n digest.Newsletter) render.LetterContent {
	return render.LetterContent{
		Title:  digest.OneLine(n.Name) + " is approved",
		Text:   []string{"People can join your newsletter from now on. Its first letter comes at your next midnight, if your site has published something by then."},
		Action: "See how it stands", URL: base + "/newsletters/" + n.Slug,
	}
}

// RefusedLetter tells the owner of a newsletter that it was not approved, and why.
func RefusedLetter(base string, n digest.Newsletter, reason string) render.LetterContent {
	return render.LetterContent{
		Title:  digest.OneLine(n.Name) + " was not approved",
		Text:   []string{"Whoever runs this has not approved the newsletter that you asked for. They say: " + reason, "Nothing of it is kept. You may ask for another one."},
		Action: "Your newsletters", URL: base + "/newsletters",
	}
}

// isPublicProvider reports whether an address is at one of the providers where
// people of all kinds have theirs: there a crowd is no attack.
func isPublicProvider(email string) bool {
	domain := strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
	return slices.Contains(strings.Fields(`gmail.com googlemail.com outlook.com hotmail.com hotmail.co.uk hotmail.fr live.com msn.com
		yahoo.com yahoo.co.uk yahoo.co.jp yahoo.fr yahoo.de ymail.com icloud.com me.com mac.com aol.com gmx.de gmx.net gmx.at gmx.com web.de
		t-online.de freenet.de proton.me protonmail.com pm.me fastmail.com zoho.com mail.com mail.ru bk.ru inbox.ru yandex.ru yandex.com
		qq.com 163.com 126.com naver.com hanmail.net orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it comcast.net
		verizon.net att.net sbcglobal.net cox.net btinternet.com sky.com hey.com posteo.de mailbox.org tuta.com tutanota.com seznam.cz
		wp.pl o2.pl onet.pl interia.pl uol.com.br terra.com.br bol.com.br rediffmail.com docomo.ne.jp ezweb.ne.jp bigpond.com ziggo.nl kpnmail.nl`), domain)
}
