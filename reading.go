package digest

// A PostRef is what an edition stores of a post: its key and its feed's.
type PostRef struct {
	PostID  PostID
	FeedID  FeedID
	Carried bool // of an earlier edition, which could not be delivered
}

// A Source is a feed as readers see it.
type Source struct {
	FeedID   FeedID
	Title    string // the feed's own
	SiteURL  string // the site's page, else the feed's address
	Language string
}
