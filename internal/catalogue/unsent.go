package catalogue

import (
	"strings"

	"digest"
)

// Unsent returns the stored reason why an edition was not sent. A reason that package store wrote is translated; the
// answer of a mail server stays unchanged.
func Unsent(stored string) Sayable {
	if why, is := strings.CutPrefix(stored, "the address is suppressed: "); is {
		return Key("the reader’s address is suppressed: %s").With(suppressed(why))
	}
	return Recognised(strings.TrimPrefix(stored, "not sent: "),
		Key("not delivered in time"), Key("web only"), Key("skipped when the fence was released"))
}

// suppressed returns the stored reason of a suppression, with its evidence if there is some: "an email bounced (550 no
// user)".
func suppressed(stored string) Sayable {
	for words, reason := range map[string]digest.Reason{
		"an email bounced": digest.ForHardBounce, "emails bounced for a week": digest.ForSoftBounces,
		"the reader marked an email as spam": digest.ForComplaint, "by the operator": digest.ForOperator,
	} {
		if evidence, is := strings.CutPrefix(stored, words); is {
			return Suppression(reason, strings.TrimSuffix(strings.TrimPrefix(evidence, " ("), ")"))
		}
	}
	return Text(stored)
}

// Suppression describes why an address is suppressed. evidence may be empty.
func Suppression(reason digest.Reason, evidence string) Sayable {
	why := map[digest.Reason]Key{
		digest.ForHardBounce: Key("an email bounced"), digest.ForSoftBounces: Key("emails bounced for a week"),
		digest.ForComplaint: Key("the reader marked an email as spam"), digest.ForOperator: Key("by the operator"),
	}[reason]
	if evidence != "" {
		return Key("%s (%s)").With(why, evidence)
	}
	return why
}
