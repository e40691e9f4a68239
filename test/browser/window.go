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

// A Window is one tab of a browser of its own, driven by its protocol.
type Window struct {
	t       testing.TB
	context context.Context
}

// Open starts Chromium, which lives as long as the test. Flags are for it.
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
	if err := chromedp.Do(ctx); err != nil { // the browser lives as long as the context of the first call
		t.Fatalf("starting Chromium: %v", err)
	}
	return &Window{t, ctx}
}

// Context is that of the tab, which ends once something has taken longer than Patience.
func (w *Window) Context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.context, Patience)
}

// Do does things in the tab, or fails the test.
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

// Photograph keeps a picture of the whole page among the artifacts of the test.
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

// A Screen is what pages are looked at on.
type Screen struct {
	Width, Height int64
	Scheme        string // "light" or "dark"
}

// String names it.
func (s Screen) String() string { return fmt.Sprintf("%d pixels, %s", s.Width, s.Scheme) }

// Set has the tab be such a screen, on which nothing moves by itself.
func (s Screen) Set() chromedp.Action[chromedp.Void] {
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: s.Scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	return chromedp.Steps(chromedp.EmulateViewport(s.Width, s.Height), Call(emulation.SetEmulatedMedia, media))
}

// Call is a command of the protocol whose answer does not matter.
func Call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}
