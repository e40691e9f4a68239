package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/store"
)

// Keeping is the posts that one reader may see, and those that they keep.
type Keeping interface {
	// VisiblePost gives a post that has come to the reader, or that they keep; digest.NotFound else.
	VisiblePost(ctx context.Context, user digest.UserID, post digest.PostID) (store.VisiblePost, error)
	// SavePost keeps a post; digest.NotFound unless the reader may see it at now.
	SavePost(ctx context.Context, user digest.UserID, post digest.PostID, now time.Time) error
	// UnsavePost lets a post go; one that is not kept is no error.
	UnsavePost(ctx context.Context, user digest.UserID, post digest.PostID) error
	// Saved lists what the reader keeps, newest first, from a place in that list on.
	Saved(ctx context.Context, user digest.UserID, after store.SavedKey, limit int) ([]store.SavedPost, error)
	// SavedAmong tells which of some posts the reader keeps.
	SavedAmong(ctx context.Context, user digest.UserID, posts []digest.PostID) (map[digest.PostID]bool, error)
}

// savedRoutes is what a reader kept, and what they look for.
func (s *site) savedRoutes() table { return table{} }

// postOf gives the post that a request's path names, if the reader may see it
// by this process's clock (I2).
func (s *site) postOf(r *http.Request, me reader) (store.VisiblePost, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return store.VisiblePost{}, errNotFound
	}
	p, err := s.Store.VisiblePost(r.Context(), me.ID, digest.PostID(id))
	if digest.KindOf(err) == digest.NotFound || err == nil && s.Now().Before(p.DueAt) {
		return store.VisiblePost{}, errNotFound
	}
	return p, err
}
