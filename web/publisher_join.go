package web

import (
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// mostProof is the longest proof of consent, in characters.
const mostProof = 200

// publisherJoinPage adds one member who asked a publisher for the newsletter elsewhere. It does not add people who have
// unsubscribed: only they can join again.
func (s *site) publisherJoinPage(me publisher) error {
	if me.posted() && !s.limits.imports.allow(me.key(), me.now) {
		return errTooManyFinds
	}
	archive, err := s.Store.Readers.Digest(me.ctx, me.Newsletter.ArchiveID)
	var typed, proof string
	me.text(emailKind, "email", &typed, 0)
	zone := me.zoneNamed(archive.TimeZone)
	me.text(lineKind, "proof", &proof, mostProof)
	email, noEmail := mailbox(typed)
	if me.posted() && noEmail != nil {
		me.wrong("email", wrongEmail)
	}
	switch shown := firstRunes(proof, mostProof); {
	case !me.posted():
	case proof == "":
		me.wrong("proof", catalogue.Key("Enter how they asked to join. We keep it as proof of consent."))
	case shown != proof:
		me.fields["proof"].Value = shown
		me.wrong("proof", catalogue.Key("That was too long, so we cut it. Check it and try again."))
	}
	if err == nil && me.ok() {
		now := me.now
		var m digest.Member
		m, _, err = s.Store.Members.Join(me.ctx, me.Newsletter.ID, store.Joining{
			Email: email, TimeZone: zone,
			Proof: digest.Proof{Form: proof + " (as " + me.Email + " said)", AskedAt: now},
		}, now)
		if err == nil {
			return me.saved(nil, "/members/"+strconv.FormatInt(int64(m.DigestID), 10), "joined")
		}
		var wrong catalogue.Sayable
		if wrong, err = asRefused(err); wrong != nil {
			me.wrong("email", wrong)
		}
	}
	return me.show(err, "publisher_join", catalogue.Key("Add member"), me)
}

// asRefused is like asSaid, and also returns the messages of digest.Conflict errors.
func asRefused(err error) (catalogue.Sayable, error) {
	if digest.KindOf(err) == digest.Conflict {
		return catalogue.Refusal(err), nil
	}
	return asSaid(err)
}
