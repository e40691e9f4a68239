package web

import (
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// The letters. Nothing in those that strangers can ask for was typed by anybody: not even
// the address they go to, so that nobody can have words of his own sent to others from here.

// paragraphs are what a letter says in a language.
func paragraphs(l *catalogue.Language, all ...catalogue.Sayable) (said []string) {
	for _, p := range all {
		said = append(said, p.In(l))
	}
	return said
}

// letterLanguage is that of a letter to a reader: their own, or else that of the page on which it was asked for.
func letterLanguage(u digest.User, asked *catalogue.Language) *catalogue.Language {
	if l, ok := catalogue.Find(u.Language); ok {
		return l
	}
	return asked
}

// worksWithin says how long the link of a sign-in works.
func worksWithin(life time.Duration) catalogue.Sayable {
	return catalogue.Key("The link opens a page with a button that signs you in. It works once, within %d hours.").With(int(life.Hours()))
}

func signInLetter(l *catalogue.Language, base, token string, life time.Duration) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Your sign-in link").In(l),
		Text:     paragraphs(l, catalogue.Key("Somebody, most likely you, asked to sign in with this address."), worksWithin(life)),
		Action:   catalogue.Key("Sign in").In(l), URL: base + "/sign-in?token=" + token,
		Aside: paragraphs(l, catalogue.Key("If it was not you, do nothing: nobody comes in without this link. However often strangers ask, such letters come further and further apart.")),
	}
}

// operatorSignInLetter is one that an operator has mailed to a reader.
func operatorSignInLetter(l *catalogue.Language, base, token string, life time.Duration) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Your sign-in link").In(l),
		Text:     paragraphs(l, catalogue.Key("Whoever runs this has this link mailed to you, most likely because you could not sign in."), worksWithin(life)),
		Action:   catalogue.Key("Sign in").In(l), URL: base + "/sign-in?token=" + token,
		Aside: paragraphs(l, catalogue.Key("If you do not need it, do nothing: nobody comes in without this link, and nobody but you was sent it.")),
	}
}

func signUpLetter(l *catalogue.Language, base, token string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Confirm your address").In(l),
		Text: paragraphs(l,
			catalogue.Key("Somebody, most likely you, asked for a daily digest at this address: a newspaper made of the sites you choose, once a day, at your own midnight."),
			catalogue.Key("The link opens a page with a button. Nothing begins before you press it. It works once, within a day."),
		),
		Action: catalogue.Key("Confirm").In(l), URL: base + "/sign-up/confirm?token=" + token,
		Aside: paragraphs(l, catalogue.Key("If it was not you, do nothing: there is no account, and no other mail comes. At most a few such letters a day are sent to an address.")),
	}
}

func oldAddressLetter(l *catalogue.Language, base, token string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Should your mail go elsewhere?").In(l),
		Text: paragraphs(l,
			catalogue.Key("Somebody who is signed in as you asked that your mail go to another address from now on. The page behind the link says which."),
			catalogue.Key("It changes when you agree here and whoever reads the other address agrees there, both within a day."),
		),
		Action: catalogue.Key("See and agree").In(l), URL: base + "/settings/address/confirm?token=" + token,
		Aside: paragraphs(l, catalogue.Key("If it was not you, do not agree. Sign in, and choose “Sign out everywhere” in the settings.")),
	}
}

func newAddressLetter(l *catalogue.Language, base, token string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Confirm your new address").In(l),
		Text: paragraphs(l,
			catalogue.Key("A reader, most likely you, asked that their daily digest come to this address from now on."),
			catalogue.Key("It changes when you agree here and whoever reads the present address agrees there, both within a day."),
		),
		Action: catalogue.Key("See and agree").In(l), URL: base + "/settings/address/confirm?token=" + token,
		Aside: paragraphs(l, catalogue.Key("If it was not you, do nothing: no mail comes.")),
	}
}

// takenLetter goes to an address that another reader asked for and that has an
// account of its own. The one who asked is told what everybody is told.
func takenLetter(l *catalogue.Language, base string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("Your address has an account already").In(l),
		Text: paragraphs(l,
			catalogue.Key("A reader, perhaps you, asked that the mail of another account come to this address. It has an account of its own, so nothing was changed."),
			catalogue.Key("To bring the two together, sign in here and delete this account first; then ask again from the other one."),
		),
		Action: catalogue.Key("Sign in").In(l), URL: base + "/sign-in",
		Aside: paragraphs(l, catalogue.Key("If it was not you, do nothing.")),
	}
}

func passkeyAddedLetter(l *catalogue.Language, base string) render.LetterContent {
	return passkeyLetter(l, base, catalogue.Key("A passkey was added"), catalogue.Key("A passkey was added to your account just now. Whoever has it can sign in as you without a letter."))
}

func passkeyRemovedLetter(l *catalogue.Language, base string) render.LetterContent {
	return passkeyLetter(l, base, catalogue.Key("A passkey was removed"), catalogue.Key("A passkey or more were removed from your account just now. They sign nobody in any more."))
}

func passkeyLetter(l *catalogue.Language, base string, title, what catalogue.Key) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    title.In(l), Text: paragraphs(l, what, catalogue.Key("If it was you, there is nothing to do.")),
		Action: catalogue.Key("See your passkeys").In(l), URL: base + "/settings/passkeys",
		Aside: paragraphs(l, catalogue.Key("If it was not you, choose “Sign out everywhere” there, and have the passkeys removed that are not yours.")),
	}
}

// TestLetter lets somebody see that mail from an instance arrives, and how.
func TestLetter(l *catalogue.Language, base string, now time.Time) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("A test of the mail of %s").With(base).In(l),
		Text: paragraphs(l, catalogue.Key("This is a test, sent by hand %s UTC. If you read it in your inbox, the editions of readers can arrive there too.").With(minute(now)),
			catalogue.Key("If it was in the spam folder, look at what “digest doctor” says.")),
		Action: catalogue.Key("See how this instance stands").In(l), URL: base + "/operator",
	}
}

// ApprovedLetter tells the owner of a newsletter that it is approved.
func ApprovedLetter(l *catalogue.Language, base string, n digest.Newsletter) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s is approved").With(digest.OneLine(n.Name)).In(l),
		Text:     paragraphs(l, catalogue.Key("People can join your newsletter from now on. Its first letter comes at your next midnight, if your site has published something by then.")),
		Action:   catalogue.Key("See how it stands").In(l), URL: base + "/newsletters/" + n.Slug,
	}
}

// RefusedLetter tells the owner of a newsletter that it was not approved, and why.
func RefusedLetter(l *catalogue.Language, base string, n digest.Newsletter, reason string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s was not approved").With(digest.OneLine(n.Name)).In(l),
		Text: paragraphs(l, catalogue.Key("Whoever runs this has not approved the newsletter that you asked for. They say: %s").With(reason),
			catalogue.Key("Nothing of it is kept. You may ask for another one.")),
		Action: catalogue.Key("Your newsletters").In(l), URL: base + "/newsletters",
	}
}

// NamesApprovedLetter returns the letter to a newsletter's owner that its names are approved.
func NamesApprovedLetter(l *catalogue.Language, base string, n digest.Newsletter) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s is approved").With(digest.OneLine(n.Name)).In(l),
		Text:     paragraphs(l, catalogue.Key("Your newsletter is called %s from now on, and its emails come from %s.").With(digest.OneLine(n.Name), digest.OneLine(n.Sender()))),
		Action:   catalogue.Key("See how it stands").In(l), URL: base + "/newsletters/" + n.Slug,
	}
}

// NamesRefusedLetter returns the letter to a newsletter's owner that its names stay, with the reason.
func NamesRefusedLetter(l *catalogue.Language, base string, n digest.Newsletter, reason string) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("The name of %s stays").With(digest.OneLine(n.Name)).In(l),
		Text:     paragraphs(l, catalogue.Key("The operator of this site did not approve the new name. Their reason: %s").With(reason)),
		Action:   catalogue.Key("Settings").In(l), URL: base + "/newsletters/" + n.Slug + "/settings",
	}
}
