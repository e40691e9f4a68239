package poller

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// TestParsersAbandon: what does not end loses its place to others, until too much
// of it goes on; then the others wait, and in the end give up.
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

// TestParsersStop: who is told to stop waits neither for a place nor for what goes on.
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

// TestParsersGuard: work that ends by itself in time, by an error of its own, by
// a panic or because its time is over.
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

// TestReadListForNobody: the list of a person who has gone is not read on, and the one
// who waits gets what is wrong with theirs.
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
