package web_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"digest/store/storetest"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/net/html"
)

// A pageScript is a running script of testdata/pages: a room, browsers by name, and the last response.
type pageScript struct {
	*visitor // the current browser
	ts       *testscript.TestScript
	neg      bool // the command is negated
	browsers map[string]*visitor
	page     answer
	location string // where the last response leads, or the redirect that led to it
	mails    []letter
	blog     *blog
}

// A report makes helpers of tests fail a script with the line of its command.
type report struct {
	testing.TB
	script *pageScript
}

func (r *report) Fatalf(format string, args ...any) { r.script.ts.Fatalf(format, args...) }
func (r *report) Errorf(format string, args ...any) { r.script.ts.Fatalf(format, args...) }
func (r *report) Fatal(args ...any)                 { r.script.ts.Fatalf("%s", fmt.Sprint(args...)) }
func (r *report) Error(args ...any)                 { r.script.ts.Fatalf("%s", fmt.Sprint(args...)) }

// TestPages runs the scripts of testdata/pages on both databases. README.md there explains their commands.
func TestPages(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{
		"SQLite": storetest.SQLite, "PostgreSQL": storetest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{Dir: "testdata/pages", Cmds: scriptCommands(),
				Setup: func(e *testscript.Env) error { return newScript(e, database) }})
		})
	}
}

func newScript(e *testscript.Env, database func(testing.TB) string) error {
	t, ok := e.T().(testing.TB)
	if !ok {
		return fmt.Errorf("%T is no test", e.T())
	}
	s := &pageScript{browsers: map[string]*visitor{}}
	s.visitor = newRoom(&report{t, s}, storetest.Open(t, database(t))).visitor()
	pages := map[string]string{}
	root := filepath.Join(e.WorkDir, "site")
	if err := filepath.WalkDir(root, func(path string, f os.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // most scripts have no site
			return nil
		case err != nil || f.IsDir():
			return err
		}
		body, err := os.ReadFile(path)
		pages[strings.TrimSuffix(strings.TrimPrefix(path, root), "index.html")] = string(body)
		return err
	}); err != nil {
		return err
	}
	s.blog = s.room.blog(pages)
	e.Setenv("SITE", s.blog.URL)
	e.Setenv("HOST", strings.TrimPrefix(s.blog.URL, "http://"))
	e.Setenv("BASE", s.base)
	e.Values["script"] = s
	return nil
}

// scriptCommands returns the commands of scripts by name.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){}
	commands := setUpCommands()
	maps.Copy(commands, map[string]func(s *pageScript, args ...string){
		"as": (*pageScript).as, "get": (*pageScript).gets, "post": (*pageScript).posts, "press": (*pageScript).presses,
		"request": (*pageScript).requests, "send": (*pageScript).sends, "redirect": (*pageScript).redirected,
		"see": (*pageScript).sees, "not": (*pageScript).sees, "exactly": (*pageScript).seesExactly,
		"attr": (*pageScript).hasAttr, "count": (*pageScript).counts, "keep": (*pageScript).keeps,
		"mail": (*pageScript).hasMail, "source": (*pageScript).hasSource, "header": (*pageScript).hasHeader,
		"repeat": (*pageScript).repeats,
	})
	for name, command := range commands {
		all[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s, _ := ts.Value("script").(*pageScript)
			s.ts, s.neg = ts, neg || name == "not"
			if neg && !slices.Contains([]string{"see", "source", "header", "mail", "log"}, name) {
				ts.Fatalf("%s cannot be negated", name)
			}
			defer func() {
				switch err := recover().(type) {
				case nil:
				case runtime.Error: // such as an argument that is missing
					ts.Fatalf("%s: %v; README.md lists the arguments", name, err)
				default:
					panic(err)
				}
			}()
			command(s, args...)
		}
	}
	return all
}

// as switches to the browser of a name. Nobody always has a new one.
func (s *pageScript) as(args ...string) {
	if s.browsers[args[0]] == nil || args[0] == "nobody" {
		s.browsers[args[0]] = s.room.visitor()
	}
	s.visitor = s.browsers[args[0]]
}

// answered stores a response and checks its status.
func (s *pageScript) answered(a answer, status int) {
	s.page = a
	s.location = a.Header.Get("Location")
	a.status(status)
}

// status splits a status from the beginning of a command's arguments.
func status(args []string, usual int) (int, []string) {
	if len(args) > 0 && len(args[0]) == 3 {
		if n, err := strconv.Atoi(args[0]); err == nil {
			return n, args[1:]
		}
	}
	return usual, args
}

func (s *pageScript) gets(args ...string) {
	want, _ := status(args[1:], http.StatusOK)
	s.answered(s.get(strings.TrimPrefix(args[0], s.base)), want)
}

// form returns the fields among a command's arguments.
func (s *pageScript) form(args []string) url.Values {
	form := url.Values{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			s.ts.Fatalf("%q is not NAME=VALUE", arg)
		}
		form.Add(name, value)
	}
	return form
}

func (s *pageScript) posts(args ...string) {
	want, fields := status(args[1:], 0)
	s.submit(args[0], want, s.form(fields))
}

func (s *pageScript) submit(path string, want int, form url.Values) {
	s.followed(s.post(path, form), want)
}

// followed stores the response to a form. It follows a redirect, or checks the status if want is not 0.
func (s *pageScript) followed(a answer, want int) {
	if want != 0 || a.StatusCode == http.StatusOK {
		s.answered(a, cmp.Or(want, http.StatusOK))
		return
	}
	s.answered(a, http.StatusSeeOther)
	to := s.location
	s.gets(to)
	s.location = to
}

// requests sends a request with any method and a form as it is.
func (s *pageScript) requests(args ...string) {
	want, body := status(args[2:], http.StatusOK)
	s.answered(s.do(args[0], args[1], urlencoded, strings.NewReader(strings.Join(body, "&"))), want)
}

// presses submits the form of a button with its values, or with others for the named fields. -NAME leaves a field out.
func (s *pageScript) presses(args ...string) {
	want, fields := status(args[1:], 0)
	form, button := s.page.formOf(args[0])
	if button == nil {
		s.ts.Fatalf("no button %q; the page has %q", args[0], s.page.texts("button"))
	}
	filled := filledIn(form, button)
	fields = slices.DeleteFunc(fields, func(field string) bool {
		name, left := strings.CutPrefix(field, "-")
		if left {
			delete(filled, name)
		}
		return left
	})
	maps.Copy(filled, s.form(fields))
	action, _ := attr(form, "action")
	if own, ok := attr(button, "formaction"); ok {
		action = own
	}
	action = cmp.Or(action, s.page.Request.URL.RequestURI())
	if method, _ := attr(form, "method"); method == "post" {
		s.submit(action, want, filled)
		return
	}
	s.answered(s.get(action+"?"+filled.Encode()), cmp.Or(want, http.StatusOK))
}

// formOf finds a button by its text or its accessible name, and its form.
func (a answer) formOf(text string) (form, button *html.Node) {
	for _, form := range a.find("form") {
		for n := range form.Descendants() {
			if name, _ := attr(n, "aria-label"); n.Data == "button" && (textOf(n) == text || name == text) {
				return form, n
			}
		}
	}
	return nil, nil
}

// filledIn returns the values that a browser sends for a form.
func filledIn(form, button *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		name, _ := attr(n, "name")
		value, has := attr(n, "value")
		kind, _ := attr(n, "type")
		_, checked := attr(n, "checked")
		switch {
		case name == "":
		case n == button, n.Data == "input" && (checked || kind != "checkbox" && kind != "radio"):
			if kind == "checkbox" && !has {
				value = "on"
			}
			values.Add(name, value)
		case n.Data == "textarea":
			values.Add(name, textOf(n))
		case n.Data == "select":
			values.Add(name, chosenOf(n))
		}
	}
	return values
}

// chosenOf returns the selected value of a list, or its first.
func chosenOf(list *html.Node) (chosen string) {
	first := true
	for n := range list.Descendants() {
		if n.Data != "option" {
			continue
		}
		value, _ := attr(n, "value")
		if _, is := attr(n, "selected"); is || first {
			chosen, first = value, false
		}
	}
	return chosen
}

// sends sets a header of the browser's requests, or deletes it.
func (s *pageScript) sends(args ...string) {
	delete(s.header, args[0])
	if len(args) > 1 {
		s.header[args[0]] = args[1]
	}
}

func (s *pageScript) redirected(args ...string) {
	if s.location != args[0] {
		s.ts.Fatalf("leads to %q, want %q", s.location, args[0])
	}
}

// sees checks that the matching nodes contain texts, or that there is a matching node; negated, the contrary.
func (s *pageScript) sees(args ...string) {
	all := s.page.texts(args[0])
	if len(args) == 1 && (len(all) == 0) != s.neg {
		s.ts.Fatalf("%s shows %q", args[0], all)
	}
	for _, words := range args[1:] {
		if slices.ContainsFunc(all, func(text string) bool { return strings.Contains(text, words) }) == s.neg {
			s.ts.Fatalf("%s shows %q; want %q: %t", args[0], all, words, !s.neg)
		}
	}
}

// hasSource checks that the response contains texts.
func (s *pageScript) hasSource(args ...string) {
	for _, text := range args {
		if strings.Contains(s.page.body, text) == s.neg {
			s.ts.Fatalf("%q in it: %t\n%s", text, s.neg, s.page.body)
		}
	}
}

func (s *pageScript) seesExactly(args ...string) { s.page.shows(args[0], args[1:]...) }

func (s *pageScript) hasAttr(args ...string) { s.page.has(args[0], args[1], args[2:]...) }

func (s *pageScript) counts(args ...string) {
	if n := fmt.Sprint(len(s.page.find(args[0]))); n != args[1] {
		s.ts.Fatalf("%s of %s, want %s", n, args[0], args[1])
	}
}

// keeps sets a variable to the text of a node, or to an attribute.
func (s *pageScript) keeps(args ...string) {
	found := s.page.texts(args[1])
	if len(args) > 2 {
		found = s.page.attrs(args[1], args[2])
	}
	if len(found) == 0 {
		s.ts.Fatalf("no %q on\n%s", args[1], s.page.body)
	}
	s.ts.Setenv(args[0], found[0])
}

// hasMail checks that an email came to an address with a subject, or with a negation that no unchecked one came. Then
// the email is the page, and TOKEN the token of its link.
func (s *pageScript) hasMail(args ...string) {
	s.mails = append(s.mails, s.letters()...)
	for i, l := range s.mails {
		subject, err := new(mime.WordDecoder).DecodeHeader(l.subject)
		s.must(err)
		if !s.neg && l.to == args[0] && subject == args[1] {
			s.mails = slices.Delete(s.mails, i, i+1)
			s.page.body = l.html + l.text
			s.ts.Setenv("TOKEN", l.token)
			return
		}
	}
	for _, l := range s.mails {
		s.ts.Fatalf("%q came to %s", l.subject, l.to)
	}
	if !s.neg {
		s.ts.Fatalf("no email came")
	}
}

// hasHeader checks that the response has a header, and that it contains a text.
func (s *pageScript) hasHeader(args ...string) {
	got := strings.Join(s.page.Header.Values(args[0]), ", ")
	if (got != "" && strings.Contains(got, strings.Join(args[1:], " "))) == s.neg {
		s.ts.Fatalf("%s is %q", args[0], got)
	}
}

// repeats sets a variable to a repeated text.
func (s *pageScript) repeats(args ...string) {
	n, err := strconv.Atoi(args[2])
	s.must(err)
	s.ts.Setenv(args[0], strings.Repeat(args[1], n))
}
