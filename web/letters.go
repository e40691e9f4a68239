package web

import (
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/web/page"
)

// letterLanguage returns the reader's language, or the language of the requesting page if they have
// none.
func letterLanguage(u digest.User, asked *catalogue.Language) *catalogue.Language {
	if l, ok := catalogue.Find(u.Language); ok {
		return l
	}
	return asked
}

func signInLetter(l *catalogue.Language, base, token string, life time.Duration) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Your sign-in link").In(l),
		Text: page.Paragraphs(l, catalogue.Key("Someone, probably you, asked to sign in with this address."),
			page.WorksWithin(life)),
		Action: catalogue.Key("Sign in").In(l), URL: base + "/sign-in?token=" + token,
		Aside: page.Paragraphs(l, catalogue.Key(
			"If this wasn’t you, ignore this email. Nobody can sign in without the link.")),
	}
}

func signUpLetter(l *catalogue.Language, base, token string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Confirm your address").In(l),
		Text: page.Paragraphs(l,
			catalogue.Key(
				"Someone, probably you, signed up with this address for a daily newspaper from the sites you choose."),
			catalogue.Key("Open the link and press the button to confirm. The link works once and expires after a day."),
		),
		Action: catalogue.Key("Confirm").In(l), URL: base + "/sign-up/confirm?token=" + token,
		Aside: page.Paragraphs(l, catalogue.Key(
			"If this wasn’t you, ignore this email. You won’t get an account.")),
	}
}

func oldAddressLetter(l *catalogue.Language, base, token string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Change email address?").In(l),
		Text: page.Paragraphs(l,
			catalogue.Key("Someone who is signed in to your account wants to change your email address. Open the link to see the new address."),
			catalogue.Key(
				"We sent a link to both your old and your new address. To make the change, open both links and confirm within a day."),
		),
		Action: catalogue.Key("Review the change").In(l), URL: base + "/settings/address/confirm?token=" + token,
		Aside: page.Paragraphs(l, catalogue.Key(
			"If this wasn’t you, don’t confirm. Sign in and choose “Sign out everywhere” in your settings.")),
	}
}

func newAddressLetter(l *catalogue.Language, base, token string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Confirm your new address").In(l),
		Text: page.Paragraphs(l,
			catalogue.Key("Someone, probably you, asked us to send their daily digest to this address."),
			catalogue.Key(
				"We sent a link to both your old and your new address. To make the change, open both links and confirm within a day."),
		),
		Action: catalogue.Key("Review the change").In(l), URL: base + "/settings/address/confirm?token=" + token,
		Aside: page.Paragraphs(l, catalogue.Key("If this wasn’t you, ignore this email.")),
	}
}

// takenLetter returns the email to an address that already has an account, if another reader wants
// to change to it. That reader sees the usual response.
func takenLetter(l *catalogue.Language, base string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("You already have an account").In(l),
		Text: page.Paragraphs(l,
			catalogue.Key("Someone tried to change the email address of another account to this one. You already have an account here, so nothing changed."),
			catalogue.Key(
				"To use this address for the other account, sign in here, delete this account, and then try again."),
		),
		Action: catalogue.Key("Sign in").In(l), URL: base + "/sign-in",
		Aside: page.Paragraphs(l, catalogue.Key("If this wasn’t you, ignore this email.")),
	}
}

func passkeyAddedLetter(l *catalogue.Language, base string) render.LetterContent {
	return passkeyLetter(l, base, catalogue.Key("A passkey was added"),
		catalogue.Key("A passkey was just added to your account. You can use it to sign in without an email."))
}

func passkeyRemovedLetter(l *catalogue.Language, base string) render.LetterContent {
	return passkeyLetter(l, base, catalogue.Key("A passkey was removed"),
		catalogue.Key("One or more passkeys were just removed from your account. They no longer work."))
}

func passkeyLetter(l *catalogue.Language, base string, title, what catalogue.Key) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    title.In(l), Text: page.Paragraphs(l, what,
			catalogue.Key("If this was you, you don’t need to do anything.")),
		Action: catalogue.Key("Review your passkeys").In(l), URL: base + "/settings/passkeys",
		Aside: page.Paragraphs(l, catalogue.Key(
			"If this wasn’t you, choose “Sign out everywhere” there and remove the passkeys you don’t recognise.")),
	}
}
