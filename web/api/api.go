package api

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"digest"
	"digest/store"
	"digest/web/page"
)

// An apiCaller is a program that acts for a publisher.
type apiCaller struct {
	Newsletter digest.Newsletter
	store.NewsletterToken
}

// An apiHandler returns a status and a value that is sent as JSON; nil sends no body.
type apiHandler func(r *http.Request, me apiCaller) (status int, answer any, err error)

// An apiProblem describes an error (RFC 9457 §3.1).
type apiProblem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// forToken accepts requests with a token of the newsletter in the path. For other newsletters it
// responds with 404.
func (s *site) forToken(h apiHandler) page.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !s.Limits.Linked.AllowAll(s.ClientShares(r), s.Now()) {
			w.Header().Set("Retry-After", "60")
			return writeProblem(w, http.StatusTooManyRequests,
				"too many requests from your network; try again in a minute")
		}
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		t, err := s.Store.Newsletters.UseNewsletterToken(r.Context(), page.HashSecret(strings.TrimSpace(token)),
			s.Now())
		if !ok || digest.KindOf(err) == digest.NotFound {
			detail := "unknown or revoked token; create another one under /newsletters"
			if !ok {
				detail = "no token; send the header Authorization: Bearer TOKEN"
			}
			w.Header().Set("WWW-Authenticate", "Bearer")
			return writeProblem(w, http.StatusUnauthorized, detail)
		}
		if err != nil {
			return s.tellProblem(w, r, err)
		}
		n, err := s.Store.Newsletters.Newsletter(r.Context(), t.NewsletterID)
		switch {
		case err != nil:
			return s.tellProblem(w, r, err)
		case n.Slug != r.PathValue("slug"):
			return writeProblem(w, http.StatusNotFound, "the token belongs to another newsletter")
		case t.ReadOnly && r.Method != http.MethodGet:
			return writeProblem(w, http.StatusForbidden, "the token is read-only")
		}
		status, answer, err := h(r, apiCaller{n, t})
		if err != nil {
			return s.tellProblem(w, r, err)
		}
		if answer == nil {
			w.WriteHeader(status)
			return nil
		}
		return page.WriteJSON(w, status, answer)
	}
}

// ownersOnly rejects tokens of editors.
func ownersOnly(h apiHandler) apiHandler {
	return func(r *http.Request, me apiCaller) (int, any, error) {
		if me.Role != digest.RoleOwner {
			return 0, nil, apiError(http.StatusForbidden,
				"only the owner of the newsletter can do this; use a token that the owner created")
		}
		return h(r, me)
	}
}

// apiError returns an error with its own HTTP status.
func apiError(status int, detail string) error { return &page.Problem{Status: status, Title: detail} }

// tellProblem writes an error as a problem document.
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
	p := s.ProblemOf(r, err)
	return writeProblem(w, p.Status, p.Error())
}

func writeProblem(w http.ResponseWriter, status int, detail string) error {
	body, err := json.Marshal(apiProblem{http.StatusText(status), status, detail})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that has disconnected is not our error
	return nil
}

// readJSON decodes the body of a request into a struct. It rejects unknown fields.
func readJSON(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return apiError(http.StatusUnsupportedMediaType, "send JSON with Content-Type: application/json")
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if why := page.AsProblem(err); why == page.ErrTooLarge {
			return apiError(http.StatusRequestEntityTooLarge, "the body is larger than 64 KiB")
		}
		return apiError(http.StatusBadRequest, "invalid JSON: "+whyNotRead(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return apiError(http.StatusBadRequest, "the body has more than one JSON object")
	}
	return nil
}

// whyNotRead describes in one line why a body is invalid, without the names of Go types.
func whyNotRead(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field == "" {
			return "the body must be a JSON object"
		}
		name := e.Field[strings.LastIndex(e.Field, ".")+1:] // without the Go types that have the field
		return "the field " + digest.Shortened(digest.OneLine(name), 100) + " has the wrong type: " + e.Value
	}
	return digest.Shortened(digest.OneLine(strings.TrimPrefix(err.Error(), "json: ")), 200)
}

// document serves the OpenAPI 3.1 description of the API.
func document(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(openAPI) // a client that has disconnected is not our error
	return nil
}
