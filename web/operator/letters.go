package operator

import (
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/web/page"
)

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
