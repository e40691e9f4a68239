package web

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"

	"digest"
	"digest/internal/catalogue"
)

// accountField is the field of a form that says for which reader its page was made. Where another one signed in meanwhile, in
// another window of the same browser, the form of a page that still stands open would change what is theirs.
const accountField = "account"

var errOthersForm = &problem{http.StatusConflict, catalogue.Key("You’re signed in to another account"),
	catalogue.Key("Nothing was changed, because this page belonged to another account. Reload it and try again.")}

// isOthersForm reports whether a form, which was read, stood on a page that was made for another reader.
func (s *site) isOthersForm(r *http.Request, reader digest.UserID) bool {
	account := cmp.Or(r.Form.Get(accountField), r.Header.Get(accountHeader)) // the header: of scripts
	return account != "" && account != s.account(reader)
}

// signForms puts the field into the forms of a reader's page that are posted, as long as nobody else can be shown the page;
// into the address of those that send a file, which are read as they come.
func (s *site) signForms(h http.Header, reader digest.UserID, page []byte) []byte {
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
		tag, page, _ = bytes.Cut(page, []byte(">")) // none stands in an attribute: templates escape it
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
