package publisher

import (
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// MostProof is the longest proof of consent, in characters.
const MostProof = 200

// joinPage adds one member who asked a publisher for the newsletter elsewhere. It does not add people who have
// unsubscribed: only they can join again.
func (s *Site) joinPage(me publisher) error {
	if me.Posted() && !s.Limits.Imports.Allow(me.Key(), me.Now) {
		return page.ErrTooManyFinds
	}
	archive, err := s.Store.Readers.Digest(me.Ctx, me.Newsletter.ArchiveID)
	var typed, proof string
	me.AddText(page.EmailKind, "email", &typed, 0)
	zone := me.AddZone(archive.TimeZone)
	me.AddText(page.LineKind, "proof", &proof, MostProof)
	email, noEmail := page.Mailbox(typed)
	if me.Posted() && noEmail != nil {
		me.Reject("email", page.WrongEmail)
	}
	switch shown := page.FirstRunes(proof, MostProof); {
	case !me.Posted():
	case proof == "":
		me.Reject("proof", catalogue.Key("Enter how they asked to join. We keep it as proof of consent."))
	case shown != proof:
		me.Fields()["proof"].Value = shown
		me.Reject("proof", catalogue.Key("That was too long, so we cut it. Check it and try again."))
	}
	if err == nil && me.OK() {
		now := me.Now
		var m digest.Member
		m, _, err = s.Store.Members.Join(me.Ctx, me.Newsletter.ID, store.Joining{
			Email: email, TimeZone: zone,
			Proof: digest.Proof{Form: proof + " (as " + me.Email + " said)", AskedAt: now},
		}, now)
		if err == nil {
			return me.saved(nil, "/members/"+strconv.FormatInt(int64(m.DigestID), 10), "joined")
		}
		var wrong catalogue.Sayable
		if wrong, err = asRefused(err); wrong != nil {
			me.Reject("email", wrong)
		}
	}
	return me.show(err, "publisher/join", catalogue.Key("Add member"), me)
}

// asRefused is like AsSaid, and also returns the messages of digest.Conflict errors.
func asRefused(err error) (catalogue.Sayable, error) {
	if digest.KindOf(err) == digest.Conflict {
		return catalogue.Refusal(err), nil
	}
	return page.AsSaid(err)
}
