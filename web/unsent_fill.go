package web

import (
	"bytes"
	"cmp"
	"html/template"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"digest/internal/catalogue"

	"golang.org/x/net/html"
)

// refilled fills the stored values into the forms of a page that post to the same address, and adds a notice above
// the page. Passwords, files, hidden fields and buttons stay unchanged.
func refilled(page []byte, path string, u unsentForm, speaks *catalogue.Language) []byte {
	forms, details := formsTo(page, path, u.Action)
	var b bytes.Buffer
	f := filler{out: &b, fields: u.Fields, forms: forms, details: details, form: -1, detail: -1}
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		f.raw = slices.Clone(z.Raw()) // the next token overwrites it
		f.token(z.Token())
	}
	if z.Err() != io.EOF {
		return page
	}
	main := bytes.Index(b.Bytes(), []byte("<main"))
	if main < 0 {
		return page
	}
	main += bytes.IndexByte(b.Bytes()[main:], '>') + 1
	return slices.Insert(b.Bytes(), main, []byte(noticeOf(u, len(forms) > 0, f.filled, speaks))...)
}

// noticeOf returns the HTML notice about a stored form. there: the page has the form; filled: a value was filled in.
func noticeOf(u unsentForm, there, filled bool, speaks *catalogue.Language) string {
	words, more := catalogue.Key("You were signed out, so nothing was sent. Press the button again."), ""
	wrote := u.wrote()
	switch {
	case u.Fields == nil:
		words = catalogue.Key("You were signed out, so nothing was sent. We can’t keep files, long forms, or forms in a browser that several readers use. Please fill it in again.")
	case there && filled:
		words = catalogue.Key("You were signed out, so nothing was sent. Press the button again.")
	case there || len(u.Fields) == 0:
	case len(wrote) > 0:
		words, more = catalogue.Key(
			"You were signed out, so nothing was sent. The form is no longer on this page, but you can still send it."),
			asWritten(wrote)+u.again(speaks)
	default:
		words, more = catalogue.Key(
			"You were signed out, so nothing was sent. The form is no longer on this page, but you can still send it."),
			u.again(speaks)
	}
	if u.Nth > 1 {
		more += `<p>` + template.HTMLEscapeString(
			catalogue.Key("We couldn’t keep another form that you sent earlier.").In(speaks)) + `</p>`
	}
	return `<div class="notice unsent" role="status"><p>` + template.HTMLEscapeString(words.In(speaks)) + `</p>` +
		more + `</div>`
}

func (u unsentForm) wrote() (texts []string) {
	for _, name := range typedFields {
		for _, text := range u.Fields[name] {
			if strings.TrimSpace(text) != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func asWritten(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(`<p class="wrote" dir="auto">` + template.HTMLEscapeString(text) + `</p>`)
	}
	return b.String()
}

// again returns a form with the stored values as hidden fields and one button.
func (u unsentForm) again(speaks *catalogue.Language) string {
	var b strings.Builder
	b.WriteString(`<form method="post" action="` + template.HTMLEscapeString(u.Action) + `">`)
	for _, name := range slices.Sorted(maps.Keys(u.Fields)) {
		for _, value := range u.Fields[name] {
			b.WriteString(`<input type="hidden" name="` + template.HTMLEscapeString(name) + `" value="` +
				template.HTMLEscapeString(value) + `">`)
		}
	}
	b.WriteString(`<button class="plain">` +
		template.HTMLEscapeString(catalogue.Key("Send form").In(speaks)) + `</button></form>`)
	return b.String()
}

// formsTo returns the indexes of a page's forms that post to an address, and the indexes of the details elements
// around them.
func formsTo(page []byte, path, action string) (places, details []int) {
	z, at, detail := html.NewTokenizer(bytes.NewReader(page)), -1, -1
	var around []int
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return places, details
		}
		t := z.Token()
		if n := len(around); kind == html.EndTagToken && t.Data == "details" && n > 0 {
			around = around[:n-1]
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		to := ""
		switch t.Data {
		case "details":
			detail++
			around = append(around, detail)
		case "form":
			at++
			if strings.EqualFold(attribute(t, "method"), "post") {
				if to = attribute(t, "action"); to == "" {
					to = path
				}
			}
		case "button":
			to = attribute(t, "formaction")
		}
		if to == action && to != "" && at >= 0 && !slices.Contains(places, at) {
			places, details = append(places, at), append(details, around...)
		}
	}
}

// A filler copies a page token by token and fills in some of its forms.
type filler struct {
	out            *bytes.Buffer
	raw            []byte // the source of the token
	fields         url.Values
	forms, details []int  // indexes of the forms to fill in, and of the details elements to open
	detail         int    // index of the last details element so far
	form           int    // index of the last form so far
	inside         bool   // the token is in a form
	pick           string // name of the select element around the token; "": none, or one that stays unchanged
	skip           bool   // skip the old content of a textarea
	filled         bool   // a value was filled in
}

func (f *filler) token(t html.Token) {
	switch start := t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken; {
	case start && t.Data == "form":
		f.form, f.inside = f.form+1, true
	case t.Type == html.EndTagToken && t.Data == "form":
		f.inside = false
	case start && t.Data == "details":
		if f.detail++; slices.Contains(f.details, f.detail) {
			setAttribute(&t, "open", "")
			f.raw = []byte(t.String())
		}
	case !f.inside || !slices.Contains(f.forms, f.form):
	case start && t.Data == "input":
		f.input(&t)
	case start && t.Data == "textarea" && f.fields.Has(attribute(t, "name")):
		f.out.Write(f.raw)
		f.raw, f.skip, f.filled = []byte("\n"+template.HTMLEscapeString(f.fields.Get(attribute(t, "name")))), true, true
	case t.Type == html.EndTagToken && t.Data == "textarea":
		f.skip = false
	case f.skip:
		return
	case start && t.Data == "select" && f.fields.Has(attribute(t, "name")):
		f.pick = attribute(t, "name")
	case t.Type == html.EndTagToken && t.Data == "select":
		f.pick = ""
	case start && t.Data == "option" && f.pick != "":
		f.mark(&t, "selected", slices.Contains(f.fields[f.pick], attribute(t, "value")))
	}
	f.out.Write(f.raw)
}

func (f *filler) input(t *html.Token) {
	name := attribute(*t, "name")
	if name == "" {
		return
	}
	switch attribute(*t, "type") {
	case "hidden", "password", "file", "submit", "button", "image", "reset":
	case "checkbox":
		f.mark(t, "checked", slices.Contains(f.fields[name], cmp.Or(attribute(*t, "value"), "on")))
	case "radio":
		if f.fields.Has(name) {
			f.mark(t, "checked", slices.Contains(f.fields[name], attribute(*t, "value")))
		}
	default:
		if f.fields.Has(name) {
			setAttribute(t, "value", f.fields.Get(name))
			f.raw, f.filled = []byte(t.String()), true
		}
	}
}

// mark adds or removes an attribute without a value.
func (f *filler) mark(t *html.Token, name string, is bool) {
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return a.Key == name })
	if is {
		t.Attr = append(t.Attr, html.Attribute{Key: name})
		f.filled = true
	}
	f.raw = []byte(t.String())
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func setAttribute(t *html.Token, name, value string) {
	for i := range t.Attr {
		if t.Attr[i].Key == name {
			t.Attr[i].Val = value
			return
		}
	}
	t.Attr = append(t.Attr, html.Attribute{Key: name, Val: value})
}
