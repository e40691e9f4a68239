package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/chromedp/chromedp"
)

// axe is axe-core, which is under its own licence.
//
//go:embed axe/axe.min.js
var axe string

type finding struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// judging runs axe-core with target-size and other rules that are off by default.
const judging = `axe.run(document, {resultTypes: ["violations"], preload: false, selectors: false, rules: {"target-size": {enabled: true}, "color-contrast": {enabled: true}}%s}).then(r => JSON.stringify(r.violations))`

// Judge checks the page with axe-core, by all rules or some of them. Any finding fails the test.
func (w *Window) Judge(what string, rules ...string) {
	w.t.Helper()
	ctx, cancel := w.Context()
	defer cancel()
	if there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`"axe" in window`)); err != nil || !there {
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](axe+"; true")); err != nil {
			w.t.Fatalf("axe-core does not run on %s: %v", what, err)
		}
	}
	only := ""
	if len(rules) > 0 {
		list, _ := json.Marshal(rules)
		only = fmt.Sprintf(`, runOnly: %s`, list)
	}
	result, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(judging, only), chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("axe-core on %s: %v", what, err)
	}
	var findings []finding
	if err := json.Unmarshal([]byte(result), &findings); err != nil {
		w.t.Fatalf("axe-core said %q: %v", result, err)
	}
	for _, f := range findings {
		for _, n := range f.Nodes {
			w.t.Errorf("%s: %s (%s): %s\n%.600s\n%s", what, f.ID, f.Impact, f.Help, n.HTML, n.FailureSummary)
		}
	}
}
