package web

import (
	"net/http"
	"strings"

	"digest"
)

// readersFound is how many readers a search lists at most.
const readersFound = 25

// An operatorReadersPage finds readers by their addresses.
type operatorReadersPage struct {
	Part  string
	Found []digest.User
	More  bool // there are others
}

func (s *site) operatorReadersPage(w http.ResponseWriter, r *http.Request, _ reader) error {
	p := operatorReadersPage{Part: strings.TrimSpace(r.URL.Query().Get("q"))}
	if p.Part == "" {
		return s.show(w, r, http.StatusOK, "operator_readers", "Readers", p)
	}
	var err error
	if p.Found, err = s.Store.UsersWith(r.Context(), p.Part, readersFound+1); len(p.Found) > readersFound {
		p.Found, p.More = p.Found[:readersFound], true
	}
	return s.showPage(w, r, err, "operator_readers", "Readers", p)
}

// testMail mails a test to the operator who asks for it.
func (s *site) testMail(w http.ResponseWriter, r *http.Request, me reader) error {
	if !s.mails() {
		return errNotFound
	}
	if !s.limits.tests.allow(me.key(), s.Now()) {
		return errTooManyTests
	}
	s.mailPlainly(me.Email, TestLetter(s.BaseURL, s.Now()))
	return showSaved(w, r, nil, "/operator", "tested")
}
