package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// An rspamd is an rspamd server without network access: no resolver, no Redis, no lists. It starts once for all
// tests. It ends with the test process, however that ends, because it ends when a pipe closes.
type rspamd struct {
	once   sync.Once
	err    error
	dir    string
	pipe   io.Closer
	client *http.Client
}

var scorer rspamd

// keeper runs a server until its own standard input closes.
const keeper = `dir=$1; shift
"$@" >"$dir/log" 2>&1 &
server=$!
cat >/dev/null
kill $server
wait $server
rm -rf "$dir"`

const rspamdConfig = `.include "$CONFDIR/common.conf"
options {
    .include "$CONFDIR/options.inc"
    pidfile = "$RUNDIR/rspamd.pid";
    control_socket = "$RUNDIR/control.sock mode=0600";
    disable_hyperscan = true;
    dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1s; retransmits = 1; }
}
logging { type = "console"; level = "warning"; }
worker "normal" {
    bind_socket = "$RUNDIR/worker.sock mode=0600";
    count = 1;
    .include "$CONFDIR/worker-normal.inc"
}
`

// asking are the modules of rspamd that would use the network.
const asking = `antivirus arc asn aws_s3 bimi clickhouse dcc dkim dkim_signing dmarc elastic
	external_services fuzzy_check greylist history_redis hfilter metadata_exporter metric_exporter
	milter_headers mx_check neural p0f ratelimit rbl redis replies reputation rspamd_update spf surbl
	url_redirector whitelist`

func (r *rspamd) start() error {
	r.once.Do(func() { r.err = r.run() })
	return r.err
}

func (r *rspamd) run() (err error) {
	// Not t.TempDir, because other tests share the server, and the path of a socket must be short.
	if r.dir, err = os.MkdirTemp("", "rspamd-"); err != nil {
		return err
	}
	files := map[string]string{"rspamd.conf": rspamdConfig}
	for module := range strings.FieldsSeq(asking) {
		files[filepath.Join("local.d", module+".conf")] = "enabled = false;\n"
	}
	if err := os.Mkdir(filepath.Join(r.dir, "local.d"), 0o700); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	args := []string{"-c", keeper, "sh", r.dir, "rspamd", "-f", "-i", "-c", filepath.Join(r.dir, "rspamd.conf")}
	for _, name := range []string{"LOCAL_CONFDIR", "DBDIR", "RUNDIR", "LOGDIR"} {
		args = append(args, "--var="+name+"="+r.dir)
	}
	cmd := exec.Command("sh", args...)
	if r.pipe, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.client = &http.Client{Timeout: patience, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(r.dir, "worker.sock"))
		},
	}}
	return r.awake()
}

// awake waits until the server responds, because it compiles its rules first.
func (r *rspamd) awake() error {
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(100 * time.Millisecond) {
		if resp, err := r.client.Get("http://rspamd/ping"); err == nil {
			resp.Body.Close()
			return nil
		}
	}
	log, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	return fmt.Errorf("rspamd does not answer:\n%s", log)
}

// An opinion is rspamd's result for a message.
type opinion struct {
	Score   float64
	Symbols map[string]struct {
		Score   float64
		Options []string // the findings
	}
}

// ask checks a message as if it came from a remote host, with a return path that differs from its From, as for
// bounces.
func (r *rspamd) ask(ctx context.Context, message []byte) (o opinion, err error) {
	m, err := mail.ReadMessage(bytes.NewReader(message))
	if err != nil {
		return o, err
	}
	from, err := mail.ParseAddress(m.Header.Get("From"))
	to, toErr := mail.ParseAddress(m.Header.Get("To"))
	if err := errors.Join(err, toErr); err != nil {
		return o, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://rspamd/checkv2", bytes.NewReader(message))
	if err != nil {
		return o, err
	}
	req.Header.Set("IP", "198.51.100.7")
	req.Header.Set("Helo", "relay.example.org")
	req.Header.Set("Hostname", "relay.example.org")
	req.Header.Set("From", "bounces+abcdefgh"+from.Address[strings.LastIndexByte(from.Address, '@'):])
	req.Header.Set("Rcpt", to.Address)
	resp, err := r.client.Do(req)
	if err != nil {
		return o, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return o, fmt.Errorf("rspamd answers %s", resp.Status)
	}
	return o, json.NewDecoder(resp.Body).Decode(&o)
}

// ofFeeds returns rules about the tests or the authors of real feeds, not about the program. Sites of tests have IP
// addresses. Readers of tests read twenty languages, while rspamd counts accents of other languages than the text's.
// Some authors link to paths that begin with a dot.
func ofFeeds() []string { return []string{"HTTP_TO_IP", "R_MIXED_CHARSET", "URI_HIDDEN_PATH"} }

// oddAddresses is never counted: it depends on the links of the posts.
const oddAddresses = "URI_COUNT_ODD"

func rspamdFaults(t *testing.T, b batch) []string {
	t.Helper()
	if err := scorer.start(); err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, file := range b.files {
		message, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o, err := scorer.ask(t.Context(), message)
		if err != nil {
			t.Fatalf("%s: %v", filepath.Base(file), err)
		}
		o.Score -= o.Symbols[oddAddresses].Score
		for _, name := range b.uncounted {
			o.Score -= o.Symbols[name].Score
		}
		var rules []string
		for name, symbol := range o.Symbols {
			if symbol.Score != 0 {
				rules = append(rules, strings.TrimSuffix(fmt.Sprintf("%s=%.2f %s", name, symbol.Score,
					strings.Join(symbol.Options, " ")), " "))
			}
		}
		slices.Sort(rules)
		t.Logf("%s: %.2f (%s)", filepath.Base(file), o.Score, strings.Join(rules, ", "))
		if o.Score > mostRspamd {
			faults = append(faults, fmt.Sprintf("%s\tscores %.2f: %s", filepath.Base(file), o.Score,
				strings.Join(rules, ", ")))
		}
	}
	return faults
}
