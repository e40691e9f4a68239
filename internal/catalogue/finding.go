package catalogue

// RecordFinding translates the stored finding of package doctor about the record of a newsletter's own domain. The text
// is the end of a sentence. TestEachFindingIsSaid in package web checks that all findings are here.
func RecordFinding(stored string) Sayable {
	return Recognised(stored,
		Key("there is no record at %s"),
		Key("there are %s records at %s, and receivers may use any of them"),
		Key("the record at %s isn’t valid (%s)"),
		Key("the record at %s revokes the key (p= is empty)"),
		Key("the record at %s is for a different type of key (k=%s)"),
		Key("the record at %s has a different key, or only part of our key"),
		Key("the record at %s doesn’t allow SHA-256 (h=%s)"),
		Key("the record at %s is not for email (s=%s)"),
		Key("the record at %s is in test mode (t=y), so receivers treat emails as unsigned"))
}
