package page

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"

	"digest"
	"digest/internal/catalogue"
)

// accountField is the form field that identifies the reader of the page. If another
// reader has since signed in with the same browser, a form on an old page would change their
// account.
const accountField = "account"

var ErrOthersForm = &Problem{http.StatusConflict, catalogue.Key("You’re signed in to another account"),
	catalogue.Key("Nothing was changed, because this page belonged to another account. Reload it and try again.")}

// IsOthersForm reports whether a parsed form is on a page that was made for another reader.
func (s *Site) IsOthersForm(r *http.Request, reader digest.UserID) bool {
	account := cmp.Or(r.Form.Get(accountField), r.Header.Get(accountHeader)) // scripts send the header
	return account != "" && account != s.account(reader)
}

// signForms adds the field to POST forms of a reader's page, if the page is not cached. For forms
// with a file it adds the field to the address, because these are read as a stream.
func (s *Site) signForms(h http.Header, reader digest.UserID, page []byte) []byte {
	if reader == 0 || !isUncached(h) {
		return page
	}
	account := accountField + "=" + s.account(reader)
	field := `<input type="hidden" name="` + accountField + `" value="` + s.account(reader) + `">`
	var b bytes.Buffer
	for found := true; found; {
		var before, tag []byte
		before, page, found = bytes.Cut(page, []byte("<form "))
		if b.Write(before); !found {
			break
		}
		tag, page, _ = bytes.Cut(page, []byte(">")) // attributes contain no ">", because templates escape it
		post, file := bytes.Contains(tag, []byte(`method="post"`)), bytes.Contains(tag, []byte("multipart/form-data"))
		if action, rest, ok := bytes.Cut(tag, []byte(`" enctype`)); ok && post && file {
			tag = slices.Concat(action, []byte("?"+account+`" enctype`), rest)
		}
		b.WriteString("<form " + string(tag) + ">")
		if post && !file {
			b.WriteString(field)
		}
	}
	return b.Bytes()
}
