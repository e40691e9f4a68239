package newsletter

import (
	"net/url"
	"strconv"
	"strings"

	"digest"
)

// A Click is the target of a counted link in a newsletter. Its link is the same for all members, so it does not
// identify who clicked.
type Click struct {
	Newsletter digest.NewsletterID
	Post       digest.PostID
	URL        string // target of the link
}

// ClickPath is the prefix of the paths of counted links.
const ClickPath = "/go/"

// Path returns the path of the link on this instance. It is signed, so that nobody can make it redirect elsewhere.
func (c Click) Path(s *digest.Signer) string {
	return ClickPath + c.name() + "/" + s.SignText(digest.ForClick, c.text()) + "?to=" + url.QueryEscape(c.URL)
}

func (c Click) name() string {
	return strconv.FormatInt(int64(c.Newsletter), 10) + "." + strconv.FormatInt(int64(c.Post), 10)
}

func (c Click) text() string { return c.name() + " " + c.URL }

// ReadClick parses the parts of such a path. It returns false if the signature is wrong.
func ReadClick(s *digest.Signer, name, token, to string) (c Click, ok bool) {
	newsletter, post, _ := strings.Cut(name, ".")
	n, err := strconv.ParseInt(newsletter, 10, 64)
	p, bad := strconv.ParseInt(post, 10, 64)
	c = Click{Newsletter: digest.NewsletterID(n), Post: digest.PostID(p), URL: to}
	ok = err == nil && bad == nil && c.name() == name && s.VerifyText(digest.ForClick, c.text(), token) &&
		(strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://"))
	return c, ok
}

// A ClickCount is the number of clicks on links to a post of a newsletter.
type ClickCount struct {
	Post   digest.PostID
	Title  string
	URL    string
	Since  digest.Date // date of the first counted click, in the owner's time zone
	Clicks int64
}
