package page

// APIRoot is the path prefix of the API.
const APIRoot = "/api/v1/newsletters/"

const (
	// PushRoot is the path prefix of WebSub callbacks. Each subscription has its own address, which cannot be
	// guessed.
	PushRoot = "/websub/"
	// maxPush is the longest body that a hub may send, in bytes. It equals the longest document.
	maxPush = 10 << 20
)
