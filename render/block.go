package render

import "digest"

// A Block is one post rendered once, shared by all its readers. It is safe for
// concurrent use and never changes.
type Block struct {
	Title    string // plain text, one line, never empty
	URL      string // the author's own page; empty if the post's address is not http(s)
	Byline   string // plain text: author, length; may be empty
	Excerpt  string // plain text, one paragraph; may be empty
	Language string // BCP 47; may be empty
	Dir      string // "rtl", else "auto"
}

// NewBlock renders a post. It trusts nothing in it.
func NewBlock(p digest.Post) *Block { return &Block{} }
