package api

import (
	"io"
	"mime"
	"net/http"
	"strings"

	"digest/internal/logo"
	"digest/web/page"
)

type apiLogo struct {
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// apiLogoOf returns nil if the newsletter has no logo.
func apiLogoOf(n page.NewsletterName) *apiLogo {
	if !n.Logo.Exists() {
		return nil
	}
	return &apiLogo{n.LogoURL(), n.LogoWidth, n.LogoHeight}
}

func (s *site) setLogo(r *http.Request, me apiCaller) (int, any, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "image/") {
		return 0, nil, apiError(http.StatusUnsupportedMediaType,
			"send the picture as the body, with its Content-Type, such as image/png")
	}
	file, err := io.ReadAll(io.LimitReader(r.Body, logo.MaxBytes+1))
	if err == nil {
		err = s.StoreLogo(r, me.Newsletter.ID, file)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.showAgain(r, me)
}

func (s *site) removeLogo(r *http.Request, me apiCaller) (int, any, error) {
	if err := s.Store.Newsletters.RemoveNewsletterLogo(r.Context(), me.Newsletter.ID); err != nil {
		return 0, nil, err
	}
	return s.showAgain(r, me)
}
