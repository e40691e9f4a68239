package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The answers of the addresses that scripts of ours ask, in words for people.
var (
	errSignInFirst  = &problem{http.StatusUnauthorized, "Sign in first", "Your session is over. Sign in and try again."}
	errBadPasskey   = &problem{http.StatusForbidden, "That passkey was not taken", "Try again. If it stays so, sign in by mail and add it anew."}
	errKnownPasskey = &problem{http.StatusConflict, "That passkey is there already", "Each passkey is added once."}
	errManyPasskeys = &problem{http.StatusConflict, "That is one passkey too many", "Remove one that you no longer use first."}
	errNotJSON      = &problem{http.StatusUnsupportedMediaType, "That could not be read", "This address takes JSON from the pages of this site."}
)

// passkeyJSON makes a handler of h, which takes and answers JSON, for scripts on our
// own pages. What goes wrong is told as {"error": …}. It is there only where
// passkeys can be used.
func (s *site) passkeyJSON(h func(http.ResponseWriter, *http.Request) (any, error)) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.relying == nil {
			return errNotFound
		}
		status := http.StatusOK
		var answer any
		err := error(errNotJSON)
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" {
			answer, err = h(w, r)
		}
		if err != nil {
			p := asProblem(err)
			if p.Status >= http.StatusInternalServerError {
				s.Log.ErrorContext(r.Context(), "web request failed", "route", r.Pattern, "error", err)
			}
			status, answer = p.Status, map[string]string{"error": p.Title + ". " + p.Text}
		}
		b, err := json.Marshal(answer)
		if err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(b)
		return nil
	}
}

// badJSON says why a body could not be read.
func badJSON(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge
	}
	return errBadPasskey
}

// passkeyName is what a reader calls a passkey: one short line, or its day.
func (s *site) passkeyName(typed string) string {
	const most = 60
	name := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, typed)), " ")
	if letters := []rune(name); len(letters) > most {
		name = string(letters[:most-1]) + "…"
	}
	return cmp.Or(name, "Passkey of "+s.Now().UTC().Format("2 January 2006"))
}
