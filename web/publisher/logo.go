package publisher

import (
	"errors"
	"io"
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/logo"
	"digest/web/page"
)

type logoPage struct {
	publisher
	Logo *page.LogoView // nil: none
}

// Most returns the largest size of a picture in megabytes.
func (logoPage) Most() int { return logo.MaxBytes >> 20 }

func (s *Site) logoPage(me publisher) error {
	return me.show(nil, "publisher/logo", catalogue.Key("Logo"),
		logoPage{me, page.NewLogoView(me.Newsletter.Logo, me.Path()+"/logo/"+me.Newsletter.LogoFile)})
}

// logo serves the logo to the publishers of a newsletter. A newsletter that waits for approval shows it to
// nobody else.
func (s *Site) logo(me publisher) error {
	return s.SendLogo(me.W, me.Request, me.Newsletter, me.PathValue("file"))
}

func (s *Site) setLogo(me publisher) error {
	file, err := receivedPicture(me.Request)
	if err == nil {
		err = s.StoreLogo(me.Request, me.Newsletter.ID, file)
	}
	if page.AsProblem(err) == page.ErrTooLarge {
		page.Drain(me.Request)
		_, _, err = logo.Make(make([]byte, logo.MaxBytes+1)) // for its error about the size
	}
	if me.Refused(err, "") {
		return s.logoPage(me)
	}
	return me.saved(err, "/logo", "logo")
}

// StoreLogo makes a logo from a picture and stores it. It returns digest.Invalid if the picture is not usable. It
// decodes one picture at a time, because decoding needs much memory.
func (s *Site) StoreLogo(r *http.Request, id digest.NewsletterID, file []byte) error {
	leave, err := s.drawing.Enter(r.Context())
	if err != nil {
		return err
	}
	defer leave() // deferred: a decoder may panic
	l, picture, err := logo.Make(file)
	if err != nil {
		return err
	}
	return s.Store.Newsletters.SetNewsletterLogo(r.Context(), id, l, picture, s.Now())
}

func receivedPicture(r *http.Request) ([]byte, error) {
	form, err := r.MultipartReader()
	if err != nil {
		return nil, page.ErrBadForm
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, errNoPicture
		}
		if err != nil {
			return nil, page.TooLargeOr(err, page.ErrBadForm)
		}
		if part.FormName() != "picture" {
			continue
		}
		file, err := io.ReadAll(io.LimitReader(part, logo.MaxBytes+1))
		if err != nil {
			return nil, page.TooLargeOr(err, page.ErrBadForm)
		}
		if len(file) == 0 {
			return nil, errNoPicture
		}
		return file, nil
	}
}

var errNoPicture = digest.Refuse(digest.Invalid, "no file was chosen; choose a picture first")

// removeLogo deletes the logo. Emails that were already sent then show none.
func (s *Site) removeLogo(me publisher) error {
	return me.saved(s.Store.Newsletters.RemoveNewsletterLogo(me.Ctx, me.Newsletter.ID), "/logo", "removed")
}
