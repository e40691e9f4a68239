package web

import (
	"errors"
	"io"
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/logo"
)

type publisherLogoPage struct {
	publisherFrame
	Logo *logoView // nil: none
}

// Most returns the largest size of a picture in megabytes.
func (publisherLogoPage) Most() int { return logo.MaxBytes >> 20 }

func (s *site) publisherLogoPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	return s.showLogo(w, r, http.StatusOK, me, nil)
}

func (s *site) showLogo(w http.ResponseWriter, r *http.Request, status int, me publisher,
	wrong catalogue.Sayable) error {
	p := publisherLogoPage{s.publisherFrame(r, me, "logo", "removed"),
		newLogoView(me.Newsletter.Logo, me.Path()+"/logo/"+me.Newsletter.LogoFile)}
	p.Wrong = wrong
	return s.show(w, r, status, "publisher_logo", titled(catalogue.Key("Logo"), me.Newsletter.Name), p)
}

// publisherLogo serves the logo to the publishers of a newsletter. A newsletter that waits for approval shows it to
// nobody else.
func (s *site) publisherLogo(w http.ResponseWriter, r *http.Request, me publisher) error {
	return s.sendLogo(w, r, me.Newsletter, r.PathValue("file"))
}

func (s *site) setLogo(w http.ResponseWriter, r *http.Request, me publisher) error {
	file, err := receivedPicture(r)
	if err == nil {
		err = s.storeLogo(r, me.Newsletter.ID, file)
	}
	if asProblem(err) == errTooLarge {
		drain(r)
		_, _, err = logo.Make(make([]byte, logo.MaxBytes+1)) // for its error about the size
	}
	wrong, err := asSaid(err)
	if wrong != nil {
		return s.showLogo(w, r, http.StatusUnprocessableEntity, me, wrong)
	}
	return showSaved(w, r, err, me.Path()+"/logo", "logo")
}

// storeLogo makes a logo from a picture and stores it. It returns digest.Invalid if the picture is not usable. It
// decodes one picture at a time, because decoding needs much memory.
func (s *site) storeLogo(r *http.Request, id digest.NewsletterID, file []byte) error {
	leave, err := s.drawing.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave() // deferred: a decoder may panic
	l, picture, err := logo.Make(file)
	if err != nil {
		return err
	}
	return s.Store.SetNewsletterLogo(r.Context(), id, l, picture, s.Now())
}

func receivedPicture(r *http.Request) ([]byte, error) {
	form, err := r.MultipartReader()
	if err != nil {
		return nil, errBadForm
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, errNoPicture
		}
		if err != nil {
			return nil, tooLargeOr(err, errBadForm)
		}
		if part.FormName() != "picture" {
			continue
		}
		file, err := io.ReadAll(io.LimitReader(part, logo.MaxBytes+1))
		if err != nil {
			return nil, tooLargeOr(err, errBadForm)
		}
		if len(file) == 0 {
			return nil, errNoPicture
		}
		return file, nil
	}
}

var errNoPicture = digest.Refuse(digest.Invalid, "no file was chosen; choose a picture first")

// removeLogo deletes the logo. Emails that were already sent then show none.
func (s *site) removeLogo(w http.ResponseWriter, r *http.Request, me publisher) error {
	return showSaved(w, r, s.Store.RemoveNewsletterLogo(r.Context(), me.Newsletter.ID), me.Path()+"/logo", "removed")
}
