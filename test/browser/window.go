package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A Window is a tab in a browser of its own, driven by the DevTools protocol.
type Window struct {
	t       testing.TB
	context context.Context
}

// Open starts Chromium for the duration of the test.
func Open(t testing.TB, flags ...chromedp.ExecAllocatorOption) *Window {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(Find(t)),
		chromedp.WSURLReadTimeout(Patience))
	options = append(options, flags...)
	if NoSandbox() {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // the browser ends with the context of the first call
		t.Fatalf("starting Chromium: %v", err)
	}
	return &Window{t, ctx}
}

// Context returns the context of the tab with a timeout of Patience.
func (w *Window) Context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.context, Patience)
}

// Do runs actions in the tab. An error fails the test.
func (w *Window) Do(what string, actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := w.Context()
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}

// Open opens an address.
func (w *Window) Open(address string) {
	w.t.Helper()
	w.Do("opening "+address, chromedp.Navigate(address))
}

// Ask evaluates an expression on the page, which may be a promise.
func Ask[T any](w *Window, expression string) T {
	w.t.Helper()
	ctx, cancel := w.Context()
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("evaluating %.200s: %v", expression, err)
	}
	return got
}

// Photograph stores a screenshot of the whole page as an artifact of the test.
func (w *Window) Photograph(name string) {
	w.t.Helper()
	ctx, cancel := w.Context()
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		w.t.Logf("no picture %s: %v", name, err)
		return
	}
	if err := os.WriteFile(filepath.Join(w.t.ArtifactDir(), name+".png"), picture, 0o666); err != nil {
		w.t.Error(err)
	}
}

// A Screen is the size and color scheme for displaying pages.
type Screen struct {
	Width, Height int64
	Scheme        string // "light" or "dark"
}

// String returns the size and the scheme.
func (s Screen) String() string { return fmt.Sprintf("%d pixels, %s", s.Width, s.Scheme) }

// Set emulates the screen in the tab, with reduced motion.
func (s Screen) Set() chromedp.Action[chromedp.Void] {
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: s.Scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	return chromedp.Steps(chromedp.EmulateViewport(s.Width, s.Height), Call(emulation.SetEmulatedMedia, media))
}

// Call runs a protocol command and ignores its result.
func Call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}
