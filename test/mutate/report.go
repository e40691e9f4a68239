package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// report writes the mutants per file and the tests that are not needed. With -against, every survivor is an error; with
// -drop, every mutant that only the named tests kill is one.
func report(w io.Writer, tests []*test, results []result, o options) error {
	if o.drop != "" {
		return reportDropped(w, tests, results)
	}
	slices.SortFunc(results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	type count struct{ killed, survived, unreached int }
	files, all := map[string]count{}, count{}
	for _, r := range results {
		c := files[r.File]
		switch {
		case len(r.By) > 0:
			c.killed++
			all.killed++
		case r.Reached > 0:
			c.survived++
			all.survived++
		default:
			c.unreached++
			all.unreached++
		}
		files[r.File] = c
	}
	fmt.Fprintf(w, "%8s %8s %9s\n", "killed", "survived", "unreached")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		c := files[name]
		fmt.Fprintf(w, "%8d %8d %9d  %s\n", c.killed, c.survived, c.unreached, name)
	}
	fmt.Fprintf(w, "%8d %8d %9d  all\n", all.killed, all.survived, all.unreached)
	for _, r := range results {
		if len(r.By) == 0 && (o.against != "" || r.Reached > 0) {
			fmt.Fprintln(w, "survived:", r)
		}
	}
	if o.against != "" {
		if n := all.survived + all.unreached; n > 0 {
			return fmt.Errorf("%d mutants survive that were killed before", n)
		}
		return nil
	}
	reportTests(w, tests, cover(tests, results))
	return nil
}

func reportDropped(w io.Writer, tests []*test, results []result) error {
	dropped := map[string]bool{}
	for _, t := range tests {
		dropped[t.name] = t.drops
	}
	killed := 0
	var lost []result
	for _, r := range results {
		if len(r.By) > 0 {
			killed++
		}
		if len(r.By) > 0 && !slices.ContainsFunc(r.By, func(name string) bool { return !dropped[name] }) {
			lost = append(lost, r)
			fmt.Fprintln(w, "lost:", r, r.By)
		}
	}
	fmt.Fprintf(w, "the tests reach %d mutants, kill %d, and alone kill %d\n", len(results), killed, len(lost))
	if len(lost) == 0 {
		return nil
	}
	for name, n := range cover(tests, lost) {
		fmt.Fprintf(w, "keep %s for %d\n", name, n)
	}
	return fmt.Errorf("%d mutants are lost", len(lost))
}

func reportTests(w io.Writer, tests []*test, kills map[string]int) {
	kept, dropped := 0, 0
	for _, t := range tests {
		switch {
		case t.reaches == nil:
			fmt.Fprintf(w, "not run: %s: %s\n", t.name, t.failed)
			kept += t.cost
		case kills[t.name] == 0 && !t.stays:
			fmt.Fprintf(w, "not needed: %s (%d tokens, %.2f s)\n", t.name, t.cost, t.seconds)
			dropped += t.cost
		default:
			fmt.Fprintf(w, "needed for %d: %s (%d tokens, %.2f s)\n", kills[t.name], t.name, t.cost, t.seconds)
			kept += t.cost
		}
	}
	fmt.Fprintf(w, "%d tokens are in tests that are needed, %d in tests that are not\n", kept, dropped)
}

// cover chooses tests that kill all killed mutants: always the test that costs least for each mutant that no chosen
// test kills. It returns how many mutants each chosen test was chosen for.
func cover(tests []*test, results []result) map[string]int {
	kills := map[string]map[int]bool{}
	for i, r := range results {
		for _, name := range r.By {
			if kills[name] == nil {
				kills[name] = map[int]bool{}
			}
			kills[name][i] = true
		}
	}
	chosen := map[string]int{}
	for {
		var best *test
		price := func(t *test) float64 {
			if t.stays {
				return 0
			}
			return float64(t.cost) / float64(len(kills[t.name]))
		}
		for _, t := range tests {
			if len(kills[t.name]) > 0 && (best == nil || price(t) < price(best)) {
				best = t
			}
		}
		if best == nil {
			return chosen
		}
		covered := kills[best.name]
		chosen[best.name] = len(covered)
		delete(kills, best.name)
		for _, others := range kills {
			maps.DeleteFunc(others, func(i int, _ bool) bool { return covered[i] })
		}
	}
}
