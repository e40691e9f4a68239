package feed

// Reported is what `digest parse --json` prints of one document.
type Reported struct{}

// Report turns a document into what `digest parse --json` prints.
func Report(d *Document) Reported { return Reported{} }
