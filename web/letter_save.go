package web

import (
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

type letterSavePage struct {
	letterLink
	listedPost
	Done string // the last action: saved or unsaved
}

// letterSavePage shows a button and changes nothing, because link scanners open every link in an
// email.
func (s *site) letterSavePage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.letterSaveOf(r)
	if err == page.ErrOldLink {
		return s.orOwn(w, r, p.of, "/posts/"+strconv.FormatInt(p.about, 10))
	}
	return s.showLetterSave(w, r, p, err)
}

func (s *site) letterSaveOf(r *http.Request) (p letterSavePage, err error) {
	if p.letterLink, err = s.letterLinkOf(r, digest.ForSaving, "/save/"); err != nil {
		return p, err
	}
	v, err := s.Store.Posts.VisiblePost(r.Context(), p.of.UserID, digest.PostID(p.about))
	if err != nil {
		return p, page.OrSpent(err, page.ErrSpentEdition)
	}
	p.listedPost = s.listedIn(s.LanguageOf(r, p), v)
	return p, nil
}

func (s *site) showLetterSave(w http.ResponseWriter, r *http.Request, p letterSavePage, err error) error {
	return s.ShowPage(w, r, err, "letter_save", catalogue.Key("Save"), p)
}

func (s *site) saveByLetter(w http.ResponseWriter, r *http.Request) error {
	p, err := s.letterSaveOf(r)
	if err == nil {
		err = s.Store.Posts.SavePost(r.Context(), p.of.UserID, digest.PostID(p.about), s.Now())
		p.Saved, p.Done = true, "saved"
	}
	return s.showLetterSave(w, r, p, err)
}

// unsaveTime is how long the link that saved a post can also remove it. A post that was saved
// earlier may be the reader's own choice, and everybody with a copy of the email has the link.
const unsaveTime = time.Hour

// unsaveByLetter removes the post if it was saved within unsaveTime.
func (s *site) unsaveByLetter(w http.ResponseWriter, r *http.Request) error {
	p, err := s.letterSaveOf(r)
	if err == nil {
		err = s.Store.Posts.UnsavePost(r.Context(), p.of.UserID, digest.PostID(p.about), s.Now().Add(-unsaveTime))
	}
	if err == nil {
		p, err = s.letterSaveOf(r)
	}
	if !p.Saved {
		p.Done = "unsaved"
	}
	return s.showLetterSave(w, r, p, err)
}
