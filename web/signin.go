package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/store"
)

// SignInTTL is how long a sign-in link works, if it is not used before.
const SignInTTL = 24 * time.Hour

// SignInLink makes a link that lets one user in, once, within SignInTTL of
// now. Only the hash of its token is stored.
func SignInLink(ctx context.Context, s *store.Store, baseURL string, user digest.UserID, now time.Time) (string, error) {
	token := newSecret()
	if err := s.AddSignIn(ctx, hashSecret(token), user, now, now.Add(SignInTTL)); err != nil {
		return "", fmt.Errorf("storing the sign-in token: %w", err)
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-in?token=" + url.QueryEscape(token), nil
}

// newSecret gives 256 random bits as text.
func newSecret() string { return rand.Text() + rand.Text() }

// hashSecret is the form in which a secret is stored. It needs no salt: the
// secret itself is random.
func hashSecret(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
