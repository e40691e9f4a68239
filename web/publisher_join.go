package web

import (
	"net/http"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// A publisherJoinPage is the form that adds one member who asked for the newsletter elsewhere.
type publisherJoinPage struct {
	publisherFrame
	newcomer                     // Token holds how they asked
	WrongProof catalogue.Sayable // nil: the proof is valid
}

// mostProof is the longest proof of consent, in characters.
const mostProof = 200

func (s *site) publisherJoinPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	archive, err := s.Store.Digest(r.Context(), me.Newsletter.ArchiveID)
	p := publisherJoinPage{publisherFrame: s.publisherFrame(r, me),
		newcomer: newcomer{zoneField: zoneField{Zone: archive.TimeZone}}}
	return s.showPage(w, r, err, "publisher_join", titled(catalogue.Key("Add member"), me.Newsletter.Name), p)
}

// joinMember adds a member on the word of a publisher. It does not add people who have unsubscribed: only they can
// join again.
func (s *site) joinMember(w http.ResponseWriter, r *http.Request, me publisher) error {
	p := publisherJoinPage{publisherFrame: s.publisherFrame(r, me),
		newcomer: readNewcomer(r.PostForm, me.Path()+"/members/add", "proof")}
	p.Token = digest.OneLine(p.Token)
	if !s.limits.imports.allow(me.key(), s.Now()) {
		return errTooManyFinds
	}
	zone, ok := p.readZone()
	email, err := mailbox(p.newcomer.Email)
	if err != nil {
		p.Wrong = wrongEmail
	}
	switch shown := firstRunes(p.Token, mostProof); {
	case p.Token == "":
		p.WrongProof = catalogue.Key("Enter how they asked to join. We keep it as proof of consent.")
	case shown != p.Token:
		p.Token, p.WrongProof = shown, catalogue.Key("That was too long, so we cut it. Check it and try again.")
	}
	if ok && err == nil && p.WrongProof == nil {
		now := s.Now()
		var m digest.Member
		m, _, err = s.Store.Join(r.Context(), me.Newsletter.ID, store.Joining{
			Email: email, TimeZone: zone, Proof: digest.Proof{Form: p.Token + " (as " + me.Email +
				" said)", AskedAt: now},
		}, now)
		if err == nil {
			return showSaved(w, r, nil, me.Path()+"/members/"+strconv.FormatInt(int64(m.DigestID), 10), "joined")
		}
		wrong, err := asRefused(err)
		if err != nil {
			return err
		}
		p.publisherFrame.Wrong = wrong
	}
	return s.show(w, r, http.StatusUnprocessableEntity, "publisher_join",
		titled(catalogue.Key("Add member"), me.Newsletter.Name), p)
}

// asRefused is like asSaid, and also returns the messages of digest.Conflict errors.
func asRefused(err error) (catalogue.Sayable, error) {
	if digest.KindOf(err) == digest.Conflict {
		return catalogue.Refusal(err), nil
	}
	return asSaid(err)
}
