package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"digest/mailer"
	"digest/store"
	"digest/test/usage"
	"digest/worker"
)

// A day simulates every midnight within 24 hours.
type day struct {
	database, out            string
	port, workers, midnights int
	running, sign            bool
	window                   time.Duration // with running: the duration over which polls are spread; 0: no spreading
	late                     time.Duration // with running: the delay between midnight and the start
	// The file with the root certificate of the sites; "": they use no TLS.
	ca string
	db *sql.DB
}

// A midnight is the cost of one time at which days begin.
type midnight struct {
	At time.Time
	worker.Summary
	Digests      int     // that were due
	Rounds       int     // number of starts of the workers, until no digest was due, or the rest waited
	Took         float64 // seconds of wall time; so are the following
	LastEdition  float64 // from the midnight to the last sent edition
	ProgramCPU   float64 // of all workers
	MostMB       float64 // the peak memory of a worker
	usage.Counts         // of PostgreSQL
}

type report struct {
	Readers, Subscriptions, Feeds, Workers int
	Running, TLS, Signed                   bool
	Midnights                              []midnight
	Growth                                 map[string]int64 // bytes by table, including indexes
	DatabaseMB                             int64            // at the end
	Statements                             []statement      // the most expensive ones
}

func (d day) run(ctx context.Context) error {
	db, err := open(d.database)
	if err != nil {
		return err
	}
	defer db.Close()
	d.db = db
	if d.sign {
		if err := d.makeKey(ctx); err != nil {
			return err
		}
	}
	r := report{Workers: d.workers, Running: d.running, TLS: d.ca != "", Signed: d.sign}
	for query, into := range map[string]*int{`digests`: &r.Readers, `subscriptions`: &r.Subscriptions,
		`feeds`: &r.Feeds} {
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM `+query).Scan(into); err != nil {
			return fmt.Errorf("counting %s: %w", query, err)
		}
	}
	forgetStatements(ctx, db)
	before := tableSizes(ctx, db)
	var first, last int64
	for i := 0; d.midnights == 0 || i < d.midnights; i++ {
		next, err := d.next(ctx, last)
		if err != nil {
			return err
		}
		if first == 0 {
			first = next
		}
		if d.midnights == 0 && next >= first+86400 {
			break
		}
		last = next
		m, err := d.midnight(ctx, time.Unix(next, 0).UTC())
		if err != nil {
			return err
		}
		fmt.Println(m)
		r.Midnights = append(r.Midnights, m)
		r.Growth, r.DatabaseMB = grown(before, tableSizes(ctx, db)), databaseMB(ctx, db)
		if err := d.write(r); err != nil {
			return err
		}
	}
	r.Statements = dearest(ctx, db)
	fmt.Println(r)
	return d.write(r)
}

func (d day) makeKey(ctx context.Context) error {
	st, err := store.Open(ctx, d.database)
	if err != nil {
		return err
	}
	defer st.Close()
	if keys, err := st.Editions.DKIMKeys(ctx); err != nil || len(keys) > 0 {
		return err
	}
	key, err := mailer.NewDKIMKey("example.org", "", time.Now())
	if err != nil {
		return err
	}
	_, err = st.Editions.AddDKIMKey(ctx, key)
	return err
}

// next returns the next midnight after the last one, or the release deadline of digests that wait for feeds because
// of the poll gap: 30 minutes.
func (d day) next(ctx context.Context, last int64) (next int64, err error) {
	err = d.db.QueryRowContext(ctx,
		fmt.Sprintf(`SELECT MIN(CASE WHEN next_due_at > %d THEN next_due_at ELSE %[1]d + 1800 END)
		FROM digests WHERE state = 'active'`, last)).Scan(&next)
	if err != nil {
		return 0, fmt.Errorf("looking for the next midnight: %w", err)
	}
	return next, nil
}

// write writes the report so far, because a long day may be interrupted.
func (d day) write(r report) error {
	if d.out == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(d.out, text, 0o600)
}

// midnight runs the workers until no digest is due, or a round does not reduce their number.
func (d day) midnight(ctx context.Context, at time.Time) (midnight, error) {
	m := midnight{At: at}
	due := func() (n int, err error) {
		err = d.db.QueryRowContext(ctx,
			fmt.Sprintf(`SELECT count(*) FROM digests WHERE state = 'active' AND next_due_at <= %d`,
				at.Unix())).Scan(&n)
		return n, err
	}
	var err error
	if m.Digests, err = due(); err != nil {
		return m, err
	}
	if err := d.tellSites(ctx, at); err != nil {
		return m, err
	}
	began := time.Now()
	m.Counts, err = usage.During(ctx, d.db, func() error {
		for left, before := m.Digests, m.Digests+1; left > 0 && left < before; m.Rounds++ {
			if err := d.round(ctx, &m, began); err != nil {
				return err
			}
			before = left
			if left, err = due(); err != nil {
				return err
			}
		}
		return nil
	})
	m.Took = time.Since(began).Seconds()
	return m, err
}

// round starts all workers once, each in its own process.
func (d day) round(ctx context.Context, m *midnight, began time.Time) error {
	type ended struct {
		done
		cpu    time.Duration
		mostMB float64
		err    error
	}
	arguments := []string{"work", "-database", d.database, "-now", m.At.Format(time.RFC3339)}
	since := time.Since(began)
	if d.running {
		arguments = append(arguments, "-running", "-window", d.window.String(), "-began",
			fmt.Sprint(began.Add(-d.late).UnixMilli()))
		since = 0 // the clocks continue
	}
	results := make([]ended, d.workers)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			r := &results[i]
			self, err := os.Executable()
			if err != nil {
				r.err = err
				return
			}
			var out bytes.Buffer
			cmd := exec.CommandContext(ctx, self, arguments...)
			cmd.Stdout, cmd.Stderr = &out, os.Stderr
			if d.ca != "" {
				cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+d.ca)
			}
			if r.err = cmd.Run(); r.err == nil {
				r.err = json.Unmarshal(out.Bytes(), &r.done)
			}
			r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
				r.mostMB = float64(use.Maxrss) / 1024
			}
		})
	}
	wait.Wait()
	for _, r := range results {
		if r.err != nil {
			return fmt.Errorf("a worker at %s: %w", m.At, r.err)
		}
		m.Add(r.Summary)
		if r.LastEdition > 0 {
			m.LastEdition = max(m.LastEdition, since.Seconds()+r.LastEdition)
		}
		m.ProgramCPU += r.cpu.Seconds()
		m.MostMB = max(m.MostMB, r.mostMB)
	}
	return nil
}

func (d day) tellSites(ctx context.Context, at time.Time) error {
	scheme := "http"
	if d.ca != "" {
		scheme = "https"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("%s://127.0.0.1:%d%s%d", scheme, d.port, clockPath, at.Unix()), nil)
	if err != nil {
		return err
	}
	// The certificates are our own.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("telling the sites what time it is (start them with: test/scale sites): %w", err)
	}
	return answer.Body.Close()
}

// String returns one line.
func (m midnight) String() string {
	return fmt.Sprintf("%s %7d digests %7d polls %6d posts %7d editions %7d sent: %6.1f s (last edition %6.1f), CPU %6.1f s program + %6.1f s PostgreSQL, %5.0f MB a worker, %6.0f MB WAL, %.0f commits, %.0f statements, locks waited for %.1f s, %d rounds",
		m.At.Format("15:04"), m.Digests, m.Polled, m.Posts, m.Editions, m.Sent, m.Took, m.LastEdition, m.ProgramCPU,
		m.ServerCPU, m.MostMB, m.WAL, m.Commits, m.Statements, m.LockWait, m.Rounds)
}

func (r report) total() (sum midnight) {
	for _, m := range r.Midnights {
		sum.Add(m.Summary)
		sum.Digests += m.Digests
		sum.Rounds += m.Rounds
		sum.Took += m.Took
		sum.LastEdition = max(sum.LastEdition, m.LastEdition)
		sum.ProgramCPU += m.ProgramCPU
		sum.MostMB = max(sum.MostMB, m.MostMB)
		sum.Counts = sum.Plus(m.Counts)
	}
	return sum
}

// String returns the report in several lines.
func (r report) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d readers, %d subscriptions, %d feeds, %d workers, %d midnights\nall   %s\nthe database has %d MB and grew by:",
		r.Readers, r.Subscriptions, r.Feeds, r.Workers, len(r.Midnights), r.total().String()[6:], r.DatabaseMB)
	for _, table := range largest(r.Growth) {
		fmt.Fprintf(&b, " %s %.1f MB,", table, float64(r.Growth[table])/(1<<20))
	}
	fmt.Fprintln(&b, "\nstatements:")
	for _, s := range r.Statements {
		fmt.Fprintf(&b, "%9.1f s %9d calls %10d rows %8.2f ms each  %.150s\n", s.Seconds, s.Calls, s.Rows,
			s.Seconds*1000/float64(s.Calls), s.Text)
	}
	return b.String()
}
