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

// operatorSignInLetter returns the email for a link that the operator sends to a reader.
func operatorSignInLetter(l *catalogue.Language, base, token string, life time.Duration) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Your sign-in link").In(l),
		Text: page.Paragraphs(l, catalogue.Key(
			"The operator of this site sent you this link, probably because you couldn’t sign in."),
			page.WorksWithin(life)),
		Action: catalogue.Key("Sign in").In(l), URL: base + "/sign-in?token=" + token,
		Aside: page.Paragraphs(l, catalogue.Key(
			"If you don’t need the link, ignore this email. We sent it only to you.")),
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
		Aside: page.Paragraphs(l, catalogue.Key("If this wasn’t you, ignore this email. You won’t get an account.")),
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

// TestLetter returns an email with which the operator tests delivery.
func TestLetter(l *catalogue.Language, base string, now time.Time) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Test email from %s").With(base).In(l),
		Text: page.Paragraphs(l, catalogue.Key(
			"This is a test email, sent on %s UTC. If it reached your inbox, editions can reach it too.").With(
			page.Minute(now)),
			catalogue.Key("If it’s in your spam folder, run “digest doctor” to find out why.")),
		Action: catalogue.Key("Open the overview").In(l), URL: base + "/operator",
	}
}

// ApprovedLetter returns the email to a newsletter's owner that it is approved.
func ApprovedLetter(l *catalogue.Language, base string, n digest.Newsletter) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s is approved").With(digest.OneLine(n.Name)).In(l),
		Text: page.Paragraphs(l, catalogue.Key(
			"People can subscribe to your newsletter now. We create the first issue at midnight if your site has published something.")),
		Action: catalogue.Key("Open newsletter").In(l), URL: base + "/newsletters/" + n.Slug,
	}
}

// RefusedLetter returns the email to a newsletter's owner that it was not approved, with the
// reason.
func RefusedLetter(l *catalogue.Language, base string, n digest.Newsletter, reason string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s was not approved").With(digest.OneLine(n.Name)).In(l),
		Text: page.Paragraphs(l, catalogue.Key(
			"The operator of this site did not approve your newsletter. Their reason: %s").With(reason),
			catalogue.Key("We deleted your request. You can make another one.")),
		Action: catalogue.Key("Your newsletters").In(l), URL: base + "/newsletters",
	}
}

// NamesApprovedLetter returns the email to a newsletter's owner that its names are approved.
func NamesApprovedLetter(l *catalogue.Language, base string, n digest.Newsletter) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s is approved").With(digest.OneLine(n.Name)).In(l),
		Text: page.Paragraphs(l, catalogue.Key("Your newsletter is now called %s. Its sender name is %s.").With(
			digest.OneLine(n.Name), digest.OneLine(n.Sender()))),
		Action: catalogue.Key("Open newsletter").In(l), URL: base + "/newsletters/" + n.Slug,
	}
}

// NamesRefusedLetter returns the email to a newsletter's owner that its names stay, with the
// reason.
func NamesRefusedLetter(l *catalogue.Language, base string, n digest.Newsletter, reason string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("The new name for %s was not approved").With(digest.OneLine(n.Name)).In(l),
		Text: page.Paragraphs(l, catalogue.Key(
			"The operator of this site did not approve the new name. Their reason: %s").With(reason)),
		Action: catalogue.Key("Settings").In(l), URL: base + "/newsletters/" + n.Slug + "/settings",
	}
}
