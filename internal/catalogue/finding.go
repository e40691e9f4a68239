package catalogue

// RecordFinding is what is wrong with the record of a newsletter's own domain, as package doctor has found it and as it was
// stored, as the end of a sentence (TestEachFindingIsSaid of package web).
func RecordFinding(stored string) Sayable {
	return Recognised(stored,
		Key("there is no record at %s"),
		Key("there are %s records at %s, and receivers may take any of them"),
		Key("the record at %s cannot be understood (%s)"),
		Key("the record at %s says that the key is revoked (an empty p=)"),
		Key("the record at %s is for keys of another kind (k=%s)"),
		Key("the record at %s holds another key, or not the whole of ours"),
		Key("the record at %s allows no SHA-256 (h=%s)"),
		Key("the record at %s is not for mail (s=%s)"),
		Key("the record at %s says that DKIM is only tried out (t=y): receivers treat mail as unsigned"))
}
