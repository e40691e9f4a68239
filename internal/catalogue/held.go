package catalogue

// HoldReason translates the stored reason why a newsletter is held: a text of digest.LetterCounts.HoldReason, or a
// default reason. A reason that the operator wrote stays as it is.
func HoldReason(stored string) Sayable {
	return Recognised(stored,
		Key("%s of %s emails were marked as spam, which is more than 0.3 %%"),
		Key("%s of %s emails bounced, which is more than 5 %%"),
		Key("by the operator"), Key("by the publisher"))
}
