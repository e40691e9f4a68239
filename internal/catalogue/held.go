package catalogue

// HoldReason is why a newsletter is held, as it was stored: what digest.LetterCounts.HoldReason says and what stands where
// the operator gave no reason are said in every language, all else as it is.
func HoldReason(stored string) Sayable {
	return Recognised(stored,
		Key("%s of %s emails were marked as spam, which is more than 0.3 %%"),
		Key("%s of %s emails bounced, which is more than 5 %%"),
		Key("by the operator"), Key("by the publisher"))
}
