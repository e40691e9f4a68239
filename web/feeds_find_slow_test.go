package web

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"digest/internal/catalogue"
	"digest/web/page"
)

// TestSlowSiteIsTold checks that the error for a slow site names the timeout in every language.
func TestSlowSiteIsTold(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Time{})
	defer cancel()
	for _, l := range catalogue.All() {
		if got := wrongOf(page.AsSlow(ctx, errors.New("x"))).In(l); !strings.Contains(got, "45") ||
			strings.Contains(got, "%") {
			t.Errorf("%s: %s", l.Code, got)
		}
	}
}
