package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/web/page"
)

// Warning warns that somebody else may publish the posts of a folded site.
func (s *editionSection) Warning() catalogue.Sayable { return render.FoldWarning }

// UnfoldPath returns the path of the form that always shows the posts of a folded site, or "" if the reader cannot
// change the site.
func (s *editionSection) UnfoldPath() string {
	if s.MenuPath == "" {
		return ""
	}
	return feedPath(s.Feed) + "/unfold"
}

func (s *editionSection) LeavePath() string { return feedPath(s.Feed) + "/leave" }

// unfoldFeed stores that a feed is never folded, and returns to the edition.
func (s *site) unfoldFeed(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	own := sub.Subscription
	own.Extras |= digest.Unfolded
	if err := s.Store.Subscriptions.SetSubscription(r.Context(), own); err != nil {
		return err
	}
	if from := fromOf(r); from != "" {
		return page.SeeOther(w, r, from)
	}
	return showChanged(w, r, nil, sub.Feed.ID, "changed")
}
