package page

// The API lets programs of publishers manage a newsletter. A request needs a token of that
// newsletter and sends no cookie, so that no page can act in a reader's name. Requests and
// responses are JSON, errors are problems (RFC 9457). openapi.json describes the API, and a test
// compares each response with it.

const APIRoot = "/api/v1/newsletters/"

const (
	// PushRoot is the path prefix of WebSub callbacks. Each subscription has its own address, which cannot be
	// guessed.
	PushRoot = "/websub/"
	// maxPush is the longest body that a hub may send, in bytes. It equals the longest document.
	maxPush = 10 << 20
)
