// Command mutate shows which tests of a package are needed. It makes small faults, called mutants, in a copy of the
// package. It runs the tests against each mutant.
//
//	go run ./test/mutate ./poller
//
// A mutant negates a condition, moves the boundary of a comparison (< to <=), or deletes a call or an assignment.
// Others change an integer by one, double a duration, or return zero values. In SQL, they negate or drop an AND
// condition. All mutants are in one test binary, and an environment variable selects one. mutate first runs each test
// alone, to learn its time and the mutants that it reaches. It then runs each mutant's tests, the fastest first, until
// one fails. With -every 5, it runs one mutant in five.
//
// The output is the number of killed and surviving mutants per file, and the tests that kill no mutant that the other
// tests do not kill. A cheap test covers a mutant before an expensive one; the cost is in Go tokens. Fuzz tests and
// tests that docs/*.md name cost nothing, because they stay. With -all, mutate runs all tests of each mutant, so that
// the cover is smaller. Read a test before you delete it: a mutant is no proof of a crash, a race or a rule of SQL.
//
// The file of -o has one JSON object per mutant with the tests that killed it, and the next run of the same code
// continues there. With -drop, mutate runs all mutants that the named tests reach. It fails if these tests alone kill
// one of them, so it shows whether the tests can go. With -against, mutate runs the mutants that were killed in another
// file, for example before tests were deleted. It fails if one of them survives.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.every, "every", 1, "run only one mutant in this number")
	flag.BoolVar(&o.all, "all", false, "run all tests of each mutant, not only until one fails")
	flag.StringVar(&o.out, "o", "", "file of the results (default: in the directory of temporary files)")
	flag.StringVar(&o.against, "against", "", "run the mutants that are killed in this file; fail if one survives")
	flag.StringVar(&o.drop, "drop", "", "names of tests, with commas: fail if they alone kill a mutant")
	flag.DurationVar(&o.longest, "longest", 3*time.Second, "tests that take longer do not run, and count as needed")
	flag.IntVar(&o.jobs, "jobs", 2, "test binaries that run at the same time")
	flag.Parse()
	if err := mutate(o, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type options struct {
	every, jobs        int
	all                bool
	out, against, drop string
	longest            time.Duration
}

// A result says which tests killed a mutant. It is one line of the file of results.
type result struct {
	mutant
	Reached int      // tests that reach it
	By      []string `json:",omitempty"` // tests that failed, the cheapest first
}

func mutate(o options, folder string) error {
	if folder == "" {
		return errors.New("name a package, such as: go run ./test/mutate ./poller")
	}
	dir, err := os.MkdirTemp("", "digest-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.out == "" {
		name := strings.ReplaceAll(filepath.ToSlash(filepath.Clean(folder)), "/", "-")
		o.out = filepath.Join(os.TempDir(), "digest-mutate-"+name+".jsonl")
	}
	p, err := build(dir, filepath.Clean(folder))
	if err != nil {
		return err
	}
	if err := p.drop(o.drop); err != nil {
		return err
	}
	known, file, err := resume(o.out, fmt.Sprint(p.hash, o.all, o.drop))
	if err != nil {
		return err
	}
	defer file.Close()
	chosen, err := choose(p.mutants, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d mutants, of which %d run; results in %s\n", len(p.mutants), len(chosen), o.out)
	if err := p.measure(o); err != nil {
		return err
	}
	if o.drop != "" {
		chosen = slices.DeleteFunc(chosen, func(id int) bool {
			return !slices.ContainsFunc(p.tests, func(t *test) bool { return t.drops && t.reached(id) })
		})
	}
	results, err := p.runAll(o, chosen, known, json.NewEncoder(file))
	if err != nil {
		return err
	}
	return report(os.Stdout, p.tests, results, o)
}

// choose returns the numbers of the mutants to run.
func choose(all []mutant, o options) (chosen []int, err error) {
	killed := map[string]bool{}
	if o.against != "" {
		before, err := read(o.against, "")
		if err != nil {
			return nil, err
		}
		for r := range maps.Values(before) {
			killed[r.String()] = len(r.By) > 0
		}
	}
	usable := 0
	for id, m := range all {
		if m.unusable {
			continue
		}
		if usable++; o.against != "" && killed[m.String()] || o.against == "" && usable%o.every == 0 {
			chosen = append(chosen, id)
		}
	}
	return chosen, nil
}

// resume opens the file of results. It begins with a hash of the package; results of other code are discarded.
func resume(path, hash string) (known map[string]result, file *os.File, err error) {
	known, err = read(path, hash)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	if known == nil {
		if err := os.WriteFile(path, fmt.Appendf(nil, "%q\n", hash), 0o600); err != nil {
			return nil, nil, err
		}
	}
	file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	return known, file, err
}

// read returns the results in a file, or nil if they belong to other code. Every hash is right if hash is empty.
func read(path, hash string) (map[string]result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	if hash != "" && first != fmt.Sprintf("%q", hash) {
		return nil, nil
	}
	results := map[string]result{}
	for line := range strings.Lines(rest) {
		var r result
		if json.Unmarshal([]byte(line), &r) == nil { // the last line may be incomplete
			results[r.String()] = r
		}
	}
	return results, nil
}

// runAll runs the chosen mutants that have no result yet.
func (p *pack) runAll(o options, chosen []int, known map[string]result, out *json.Encoder) ([]result, error) {
	var (
		mu      sync.Mutex
		results []result
		failed  error
		began   = time.Now()
	)
	todo := slices.DeleteFunc(slices.Clone(chosen), func(id int) bool {
		r, ok := known[p.mutants[id].String()]
		if ok {
			results = append(results, r)
		}
		return ok
	})
	each(o.jobs, todo, func(i, id int) {
		r, err := p.judge(id, o)
		mu.Lock()
		defer mu.Unlock()
		if failed = errors.Join(failed, err); err == nil {
			failed = errors.Join(failed, out.Encode(r))
			results = append(results, r)
		}
		if i%50 == 49 {
			fmt.Fprintf(os.Stderr, "%d of %d in %s\n", i+1, len(todo), time.Since(began).Round(time.Second))
		}
	})
	return results, failed
}

// each calls f for the elements of a list, n at a time.
func each[T any](n int, list []T, f func(i int, t T)) {
	var group sync.WaitGroup
	places := make(chan struct{}, n)
	for i, t := range list {
		places <- struct{}{}
		group.Go(func() {
			f(i, t)
			<-places
		})
	}
	group.Wait()
}
