package web

import (
	"bytes"
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// accountField is the field of a form that says for which reader its page was made. Where another one signed in meanwhile, in
// another window of the same browser, the form of a page that still stands open would change what is theirs.
const accountField = "account"

var errOthersForm = &problem{http.StatusConflict, catalogue.Key("That was for somebody else"), catalogue.Key("This page was made for another reader, and nothing was done. Load it again: it is then the page of the reader who is signed in now.")}

// isOthersForm reports whether a form, which was read, stood on a page that was made for another reader.
func (s *site) isOthersForm(r *http.Request, reader digest.UserID) bool {
	account := r.PostForm.Get(accountField)
	return account != "" && account != s.account(reader)
}

// signForms puts the field into the forms of a reader's page that are posted, as long as nobody else can be shown the page.
// Those that save a post do without it: they are many, and nobody can save what did not come to them. So do those that
// send a file, which are read as they come.
func (s *site) signForms(h http.Header, reader digest.UserID, page []byte) []byte {
	if reader == 0 || !strings.Contains(h.Get("Cache-Control"), "no-store") {
		return page
	}
	field := []byte(`<input type="hidden" name="` + accountField + `" value="` + s.account(reader) + `">`)
	var b bytes.Buffer
	for signed := false; len(page) > 0; {
		begin, end := []byte("<form "), []byte("</form>")
		next := begin
		if signed {
			next = end
		}
		before, after, found := bytes.Cut(page, next)
		b.Write(before)
		if !found {
			break
		}
		if signed {
			b.Write(field)
		}
		b.Write(next)
		tag, _, _ := bytes.Cut(after, []byte(">"))
		has := func(attribute string) bool { return bytes.Contains(tag, []byte(attribute)) }
		signed = !signed && has(`method="post"`) && !has(`class="keep"`) && !has("multipart/")
		page = after
	}
	return b.Bytes()
}
