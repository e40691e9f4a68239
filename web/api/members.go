package api

import (
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/internal/places"
	"digest/store"
	"digest/web/page"
	"digest/web/publisher"
)

type apiMember struct {
	ID       string             `json:"id"`
	Email    string             `json:"email"`
	TimeZone string             `json:"time_zone"`
	State    digest.DigestState `json:"state"`
	Days     string             `json:"days"`
	JoinedAt time.Time          `json:"joined_at"`
	LeftAt   *time.Time         `json:"left_at"`
	Proof    apiProof           `json:"proof"`
}

// An apiProof records how a member joined.
type apiProof struct {
	Form        string     `json:"form"`
	Address     string     `json:"address"`
	AskedAt     *time.Time `json:"asked_at"`
	ConfirmedAt *time.Time `json:"confirmed_at"`
}

type apiEvent struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"`
	Detail string    `json:"detail"`
}

type apiMemberHistory struct {
	apiMember
	History []apiEvent `json:"history"`
}

// An apiMembers is one page of members. Next is the after parameter of the next page, or "" on the
// last one.
type apiMembers struct {
	Members []apiMember `json:"members"`
	Next    string      `json:"next"`
}

// instantOrNone returns t in UTC, or nil for the zero time.
func instantOrNone(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func newAPIMember(m digest.Member) apiMember {
	return apiMember{
		ID: strconv.FormatInt(int64(m.DigestID), 10), Email: m.Email, TimeZone: m.TimeZone, State: m.State,
		Days:     m.Cadence.String(),
		JoinedAt: m.JoinedAt.UTC(), LeftAt: instantOrNone(m.LeftAt),
		Proof: apiProof{m.Form, m.Proof.Address, instantOrNone(m.AskedAt), instantOrNone(m.At)},
	}
}

const (
	membersListed = 100 // default and maximum length of a page
	mostFragment  = 300 // bytes of a search term
)

// listMembers lists members in the order in which they joined.
func (s *site) listMembers(r *http.Request, me apiCaller) (int, any, error) {
	q := r.URL.Query()
	query := store.MemberQuery{Part: q.Get("q"), State: digest.DigestState(q.Get("state"))}
	limit := membersListed
	if given := q.Get("limit"); given != "" {
		var err error
		if limit, err = strconv.Atoi(given); err != nil || limit < 1 || limit > membersListed {
			return 0, nil, apiError(http.StatusUnprocessableEntity, "limit must be a number from 1 to 100")
		}
	}
	if after := q.Get("after"); after != "" {
		n, err := strconv.ParseInt(after, 10, 64)
		if err != nil || n < 0 {
			return 0, nil, apiError(http.StatusUnprocessableEntity,
				"after must be the value of next in the previous response")
		}
		query.After = digest.DigestID(n)
	}
	if len(query.Part) > mostFragment {
		return 0, nil, apiError(http.StatusUnprocessableEntity, "q must be part of an email address")
	}
	answer := apiMembers{Members: []apiMember{}}
	for m, err := range s.Store.Members.Members(r.Context(), me.Newsletter.ID, query) {
		if err != nil {
			return 0, nil, err
		}
		if len(answer.Members) == limit {
			answer.Next = answer.Members[limit-1].ID
			break
		}
		answer.Members = append(answer.Members, newAPIMember(m))
	}
	return http.StatusOK, answer, nil
}

func (s *site) member(r *http.Request, me apiCaller) (int, any, error) {
	m, err := s.memberOf(r, me)
	if err != nil {
		return 0, nil, err
	}
	answer, err := s.history(r, m)
	return http.StatusOK, answer, err
}

func (s *site) memberOf(r *http.Request, me apiCaller) (digest.Member, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return digest.Member{}, apiError(http.StatusNotFound, "no member has this ID")
	}
	return s.Store.Members.MemberByDigest(r.Context(), me.Newsletter.ID, digest.DigestID(id))
}

func (s *site) history(r *http.Request, m digest.Member) (apiMemberHistory, error) {
	events, err := s.Store.Members.MemberEvents(r.Context(), m.NewsletterID, m.Email)
	answer := apiMemberHistory{newAPIMember(m), []apiEvent{}}
	for _, e := range events {
		answer.History = append(answer.History, apiEvent{e.At.UTC(), e.Kind, e.Detail})
	}
	return answer, err
}

// An apiJoining is a person who asked the publisher for the newsletter.
type apiJoining struct {
	Email    string     `json:"email"`
	TimeZone string     `json:"time_zone"`
	Proof    string     `json:"proof"`
	AskedAt  *time.Time `json:"asked_at"`
}

// join adds a member at the publisher's request. It does not add people who have left the
// newsletter.
func (s *site) join(r *http.Request, me apiCaller) (int, any, error) {
	var j apiJoining
	if err := readJSON(r, &j); err != nil {
		return 0, nil, err
	}
	email, err := page.Mailbox(j.Email)
	switch proof := digest.OneLine(j.Proof); {
	case err != nil:
		return 0, nil, apiError(http.StatusUnprocessableEntity, "email must be an address such as mo@example.org")
	case proof == "" || len(proof) > publisher.MostProof:
		return 0, nil, apiError(http.StatusUnprocessableEntity,
			"proof must say in at most 200 characters how they asked")
	}
	zone, err := places.Zone(j.TimeZone)
	if err != nil {
		return 0, nil, apiError(http.StatusUnprocessableEntity, "time_zone: "+err.Error())
	}
	now := s.Now()
	asked := now
	if j.AskedAt != nil && j.AskedAt.Before(now) {
		asked = j.AskedAt.UTC()
	}
	m, created, err := s.Store.Members.Join(r.Context(), me.Newsletter.ID, store.Joining{
		Email: email, TimeZone: zone, Proof: digest.Proof{Form: digest.OneLine(j.Proof) + " (as " + me.Email +
			" said, by " + me.Name + ")", AskedAt: asked},
	}, now)
	if err != nil {
		return 0, nil, err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	answer, err := s.history(r, m)
	return status, answer, err
}

// leave ends a membership at the publisher's request.
func (s *site) leave(r *http.Request, me apiCaller) (int, any, error) {
	m, err := s.memberOf(r, me)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusNoContent, nil, s.Store.Readers.SetDigestState(r.Context(), m.DigestID, digest.DigestLeft,
		s.Now())
}
