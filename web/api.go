package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"digest"
	"digest/store"
)

// The API by which programs of publishers look after a newsletter. It is asked with a token of that
// newsletter and no cookie, so that no page can ask in anybody's name; it takes and answers JSON;
// what goes wrong is told as a problem (RFC 9457). openapi.json describes it, and a test holds each
// answer against that.

// apiRoot is what all its addresses of a newsletter begin with.
const apiRoot = "/api/v1/newsletters/"

// An apiCaller is who asks: a program, in the name of a publisher.
type apiCaller struct {
	Newsletter digest.Newsletter
	store.NewsletterToken
}

// An apiHandler answers with a status and what is written as JSON; nil is nothing.
type apiHandler func(r *http.Request, me apiCaller) (status int, answer any, err error)

// An apiProblem is what went wrong (RFC 9457 §3.1).
type apiProblem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// forToken lets in who has a token of the newsletter in the path. Whatever is not its newsletter is as if it
// were not there.
func (s *site) forToken(h apiHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !s.limits.linked.allowAll(s.clientShares(r), s.Now()) {
			w.Header().Set("Retry-After", "60")
			return writeProblem(w, http.StatusTooManyRequests, "so many questions came from this network; ask again in a minute")
		}
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		t, err := s.Store.UseNewsletterToken(r.Context(), hashSecret(strings.TrimSpace(token)), s.Now())
		if !ok || digest.KindOf(err) == digest.NotFound {
			w.Header().Set("WWW-Authenticate", "Bearer")
			return writeProblem(w, http.StatusUnauthorized, "this token is void; make another one under /newsletters")
		}
		if err != nil {
			return s.tellProblem(w, r, err)
		}
		n, err := s.Store.Newsletter(r.Context(), t.NewsletterID)
		switch {
		case err != nil:
			return s.tellProblem(w, r, err)
		case n.Slug != r.PathValue("slug"):
			return writeProblem(w, http.StatusNotFound, "this token is of another newsletter")
		case t.ReadOnly && r.Method != http.MethodGet:
			return writeProblem(w, http.StatusForbidden, "this token may only read")
		}
		status, answer, err := h(r, apiCaller{n, t})
		if err != nil {
			return s.tellProblem(w, r, err)
		}
		if answer == nil {
			w.WriteHeader(status)
			return nil
		}
		return writeJSON(w, status, answer)
	}
}

// ownersOnly refuses who may only edit.
func ownersOnly(h apiHandler) apiHandler {
	return func(r *http.Request, me apiCaller) (int, any, error) {
		if me.Role != digest.RoleOwner {
			return 0, nil, apiError(http.StatusForbidden, "that is for the newsletter's owner; use a token that its owner has made")
		}
		return h(r, me)
	}
}

// apiError is an error with a status of its own.
func apiError(status int, detail string) error { return &problem{Status: status, Title: detail} }

// tellProblem writes why something was not done.
func (s *site) tellProblem(w http.ResponseWriter, r *http.Request, err error) error {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		switch e.Kind {
		case digest.Invalid:
			return writeProblem(w, http.StatusUnprocessableEntity, e.Message)
		case digest.Conflict:
			return writeProblem(w, http.StatusConflict, e.Message)
		case digest.NotFound:
			return writeProblem(w, http.StatusNotFound, e.Message)
		}
	}
	p := s.problemOf(r, err)
	return writeProblem(w, p.Status, p.Error())
}

func writeProblem(w http.ResponseWriter, status int, detail string) error {
	body, err := json.Marshal(apiProblem{http.StatusText(status), status, detail})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a program that has left is no error of ours
	return nil
}

// readJSON reads the body of a request into a struct whose fields are all that it may hold.
func readJSON(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return apiError(http.StatusUnsupportedMediaType, "the body is JSON; send it with Content-Type: application/json")
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if why := asProblem(err); why == errTooLarge {
			return apiError(http.StatusRequestEntityTooLarge, "the body is larger than 64 KiB")
		}
		return apiError(http.StatusBadRequest, "the body cannot be read: "+digest.Shortened(digest.OneLine(err.Error()), 200))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return apiError(http.StatusBadRequest, "the body is one JSON object")
	}
	return nil
}

// apiDocument is the description of the API (OpenAPI 3.1).
func (s *site) apiDocument(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(openAPI) // a visitor who has left is no error of ours
	return nil
}
