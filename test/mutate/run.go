package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// measure runs each test alone, unless a file beside the results has what an earlier run of the same code measured.
func (p *pack) measure(o options) error {
	path := o.out + "." + p.hash[:16] + ".tests"
	type measured struct {
		Seconds float64
		Reaches []byte
		Failed  string
	}
	known := map[string]measured{}
	if text, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(text, &known); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	var mu sync.Mutex
	var failed error
	each(o.jobs, p.tests, func(_ int, t *test) {
		mu.Lock()
		m, ok := known[t.name]
		mu.Unlock()
		var err error
		if t.seconds, t.reaches, t.failed = m.Seconds, m.Reaches, m.Failed; !ok {
			err = p.measureTest(t, o)
		}
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
		known[t.name] = measured{t.seconds, t.reaches, t.failed}
	})
	// The first place is for the fastest test; among tests that take about the same time it is for the cheapest.
	slices.SortStableFunc(p.tests, func(a, b *test) int {
		speed := func(t *test) float64 { return math.Floor(math.Log2(max(t.seconds, 0.05))) }
		return cmp.Or(cmp.Compare(speed(a), speed(b)), cmp.Compare(a.cost, b.cost))
	})
	text, err := json.Marshal(known)
	if err != nil || failed != nil {
		return errors.Join(failed, err)
	}
	return os.WriteFile(path, text, 0o600)
}

func (p *pack) measureTest(t *test, o options) error {
	path := filepath.Join(filepath.Dir(p.binary), t.name)
	if err := os.WriteFile(path, make([]byte, len(p.mutants)), 0o600); err != nil {
		return err
	}
	defer os.Remove(path)
	ran := p.run([]*test{t}, o.longest.Seconds(), "DIGEST_MUTANT_REACHED="+path)
	t.seconds = ran.seconds
	switch {
	case ran.killers[t] || ran.open[t]:
		t.failed = "it fails without a mutant"
	case t.seconds > o.longest.Seconds():
		t.failed = fmt.Sprintf("it takes %.1f s", t.seconds)
	default:
		var err error
		t.reaches, err = os.ReadFile(path)
		return err
	}
	return nil
}

// judge runs the tests that reach a mutant. Tests that -drop names run first; the others run only if one of these
// failed.
func (p *pack) judge(id int, o options) (result, error) {
	r := result{mutant: p.mutants[id]}
	var kept, dropped []*test
	for _, t := range p.tests {
		switch {
		case !t.reached(id):
		case t.drops:
			dropped = append(dropped, t)
		default:
			kept = append(kept, t)
		}
	}
	r.Reached = len(kept) + len(dropped)
	last, err := p.killers(id, dropped, false)
	if err != nil || o.drop != "" && len(last) == 0 {
		return r, err
	}
	first, err := p.killers(id, kept, o.all)
	if err == nil && len(first) == 0 && len(last) > 0 {
		last, err = p.killers(id, dropped, true)
	}
	for _, t := range slices.Concat(kept, dropped) {
		if first[t] || last[t] {
			r.By = append(r.By, t.name)
		}
	}
	return r, err
}

// killers runs tests against a mutant in groups, the first group in a few milliseconds, until one test fails or, with
// all, to the end. It returns the tests that failed.
func (p *pack) killers(id int, tests []*test, all bool) (map[*test]bool, error) {
	killers := map[*test]bool{}
	room := 0.3
	for left := tests; len(left) > 0 && (all || len(killers) == 0); {
		group, seconds := 1, left[0].seconds
		for group < len(left) && seconds+left[group].seconds < room {
			seconds += left[group].seconds
			group++
		}
		room = min(4*room, 5)
		ran := p.run(left[:group], seconds, fmt.Sprint("DIGEST_MUTANT=", id),
			fmt.Sprint("-test.failfast=", !all))
		if ran.err != nil {
			return nil, ran.err
		}
		maps.Copy(killers, ran.killers)
		// A panic ends the tests after it. They run again.
		open := slices.DeleteFunc(slices.Clone(left[:group]), func(t *test) bool { return !ran.open[t] })
		if len(open) == group {
			open, killers[left[0]] = open[1:], true
		}
		left = append(open, left[group:]...)
	}
	return killers, nil
}

// outcomes says which tests failed, and which did not run to their end.
type outcomes struct {
	killers, open map[*test]bool
	seconds       float64 // of processor time
	err           error
}

// run runs tests in one process. Its processor time and its memory are limited; time on the clock is limited too, but
// more generously, because the machine may be busy.
func (p *pack) run(tests []*test, seconds float64, env string, flags ...string) outcomes {
	const kilobytes = 4 << 20
	o := outcomes{killers: map[*test]bool{}, open: map[*test]bool{}}
	byName := map[string]*test{}
	names := make([]string, 0, len(tests))
	for _, t := range tests {
		byName[t.name], o.open[t] = t, true
		names = append(names, t.name)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Duration((20+10*seconds)*float64(time.Second)))
	defer stop()
	flags = append(flags, "-test.v=test2json", "-test.parallel=2", "-test.run=^("+strings.Join(names, "|")+")$")
	limited := `ulimit -t "$1"; ulimit -d "$2"; shift 2; exec nice -n 4 "$@"`
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", limited, "sh", fmt.Sprint(int(10 + 5*seconds)),
		fmt.Sprint(kilobytes), p.binary}, flags...)...)
	cmd.Dir, cmd.Env = p.folder, append(os.Environ(), env)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if cmd.ProcessState != nil {
		o.seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	running := ""
	line := regexp.MustCompile(`\x16(?:--- (FAIL|PASS|SKIP): (\w+) \(|=== (?:RUN|CONT|NAME)\s+(\w+))`)
	for _, m := range line.FindAllStringSubmatch(string(out), -1) {
		if m[3] != "" {
			running = m[3]
			continue
		}
		if t := byName[m[2]]; t != nil {
			delete(o.open, t)
			if m[1] == "FAIL" {
				o.killers[t] = true
			}
		}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
		o.err = err
	}
	// A panic in another goroutine, a hang or too much memory ends the process without the name of a test.
	if t := byName[running]; err != nil && o.open[t] && len(o.killers) == 0 {
		delete(o.open, t)
		o.killers[t] = true
	}
	return o
}
