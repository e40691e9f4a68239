package catalogue

// Unsent is why an edition was not sent, as it was stored: what package store says of it itself is said in every language,
// what a mail server answered as it is.
func Unsent(stored string) Sayable {
	return Recognised(stored,
		Key("not delivered in time"), Key("web only"), Key("left unmailed when the fence was released"),
		Key("the address is suppressed: it has bounced for a week (%s)"), Key("the address is suppressed: it has bounced for a week"),
		Key("the address is suppressed: it bounced (%s)"), Key("the address is suppressed: it bounced"),
		Key("the address is suppressed: its reader called a mail spam (%s)"), Key("the address is suppressed: its reader called a mail spam"),
		Key("the address is suppressed: by the operator (%s)"), Key("the address is suppressed: by the operator"))
}
