package digest

import (
	"net/url"
	"strconv"
	"strings"
)

// A Click is that somebody follows the link of a post in a letter of a newsletter that counts them. It is
// the same for everybody: who it is cannot be told.
type Click struct {
	Newsletter NewsletterID
	Post       PostID
	URL        string // where it leads
}

// ClickPath is what the paths of the links that are counted begin with.
const ClickPath = "/go/"

// Path is the address of the link on the instance of the signer. Nobody else can make one, so that
// it leads nowhere but where letters do.
func (c Click) Path(s *Signer) string {
	return ClickPath + c.name() + "/" + s.SignText(ForClick, c.text()) + "?to=" + url.QueryEscape(c.URL)
}

func (c Click) name() string {
	return strconv.FormatInt(int64(c.Newsletter), 10) + "." + strconv.FormatInt(int64(c.Post), 10)
}

func (c Click) text() string { return c.name() + " " + c.URL }

// ReadClick gives the click that the parts of such a path stand for; false if the signer has not made it.
func ReadClick(s *Signer, name, token, to string) (c Click, ok bool) {
	newsletter, post, _ := strings.Cut(name, ".")
	n, err := strconv.ParseInt(newsletter, 10, 64)
	p, bad := strconv.ParseInt(post, 10, 64)
	c = Click{Newsletter: NewsletterID(n), Post: PostID(p), URL: to}
	ok = err == nil && bad == nil && c.name() == name && s.VerifyText(ForClick, c.text(), token) &&
		(strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://"))
	return c, ok
}

// ClickCount is how often the links to a post of a newsletter's letters were followed.
type ClickCount struct {
	Post   PostID
	Title  string
	URL    string
	Since  Date // when one was counted first, by the owner's clock
	Clicks int64
}
