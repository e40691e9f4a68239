package poller

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// TestParsersAbandon holds that a parser that does not end frees its place, until too many are abandoned.
// Then other documents wait, and fail in the end.
func TestParsersAbandon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewParsers(nil)
		places, most := cap(p.places), cap(p.abandoned)
		release := make(chan struct{})
		hang := func(context.Context) error { <-release; return nil }
		quick := func(context.Context) error { return nil }
		for range (most + places) / places {
			results := make(chan error, places)
			begun := time.Now()
			for range places {
				go func() { results <- p.Do(t.Context(), 1<<20, hang) }()
			}
			synctest.Wait()
			for range places {
				if err := <-results; !errors.Is(err, ErrOverran) {
					t.Fatalf("%v, want that it overran", err)
				}
			}
			if took := time.Since(begun); took.Round(time.Second) != 8*time.Second {
				t.Errorf("given up after %v", took)
			}
		}
		if now, ever := p.Abandoned(); now != most || int(ever) != most+places {
			t.Errorf("%d abandoned now, %d ever; want %d and %d", now, ever, most, most+places)
		}
		if err := p.Do(t.Context(), 1, quick); !errors.Is(err, errNoPlace) {
			t.Errorf("with no place left: %v", err)
		}
		close(release)
		synctest.Wait()
		if now, _ := p.Abandoned(); now != 0 || p.Do(t.Context(), 1, quick) != nil {
			t.Errorf("%d abandoned after all have ended", now)
		}
	})
}

// TestParsersStop holds that a stopped document waits neither for a place nor for its parser.
func TestParsersStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewParsers(nil)
		ctx, stop := context.WithCancel(t.Context())
		release := make(chan struct{})
		n := 3 * cap(p.places)
		results := make(chan error, n)
		for range n {
			go func() { results <- p.Do(ctx, 1, func(context.Context) error { <-release; return nil }) }()
		}
		synctest.Wait()
		stop()
		for range n {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		if _, ever := p.Abandoned(); ever != 0 {
			t.Errorf("%d are said to take too long", ever)
		}
		close(release)
	})
}

// TestParsersGuard checks work that ends with its own error, with a panic, or at the time limit.
func TestParsersGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, own := NewParsers(nil), errors.New("its own")
		for _, c := range []struct {
			work func(context.Context) error
			want error
		}{
			{func(context.Context) error { return nil }, nil},
			{func(context.Context) error { return own }, own},
			{func(context.Context) error { panic("broken") }, errPanicked},
			{func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, ErrOverran},
		} {
			if err := p.Do(t.Context(), 1, c.work); !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("%v, want %v", err, c.want)
			}
		}
		synctest.Wait()
		if len(p.places) != 0 || len(p.abandoned) != 0 {
			t.Error("a place is kept")
		}
	})
}

// TestReadListForNobody holds that the list of a person who has gone is not parsed, and that a waiting
// person gets the error of their list.
func TestReadListForNobody(t *testing.T) {
	p := New(Options{NoWait: true})
	t.Cleanup(p.Close)
	ctx, gone := context.WithCancel(t.Context())
	gone()
	for range cap(p.parsers.places) {
		p.parsers.places <- struct{}{}
	}
	if list, err := p.ReadList(ctx, []byte(`<opml><outline xmlUrl="http://x.org/"/></opml>`)); !errors.Is(err,
		context.Canceled) || list != nil {
		t.Errorf("%v, %v", list, err)
	}
	<-p.parsers.places
	if list, err := p.ReadList(t.Context(), []byte(`<opml><outline xmlUrl="http://x.org/"/></opml>`)); err != nil ||
		len(list.Feeds) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := p.ReadList(t.Context(), []byte("{}")); digest.KindOf(err) != digest.Invalid {
		t.Errorf("%v", err)
	}
}
