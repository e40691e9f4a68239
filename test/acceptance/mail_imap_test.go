package acceptance

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/quotedprintable"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

// dovecotConfig runs a single process of the test's own that serves one Maildir.
const dovecotConfig = `base_dir = %[1]s/run
state_dir = %[1]s/state
log_path = %[1]s/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = %[2]s
default_internal_group = %[3]s
default_login_user = %[2]s
first_valid_uid = 1
mail_location = maildir:%[1]s/mail
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=%[4]d gid=%[5]d home=%[1]s allow_all_users=yes
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = %[6]s
  }
  inet_listener imaps {
    port = 0
  }
}
`

// dovecot serves a Maildir over IMAP on loopback, as nobody if the test runs as root, and returns its address.
func dovecot(t *testing.T, maildir string) (address string) {
	t.Helper()
	path, err := exec.LookPath("dovecot")
	if err != nil {
		tier.Missing(t, "Dovecot", err)
	}
	u, err := user.Current()
	if err == nil && u.Uid == "0" {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Skip(err)
	}
	g, err := user.LookupGroupId(u.Gid)
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	dir, err := os.MkdirTemp("/tmp", "imap") // the paths of its sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	address = program.FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	config := filepath.Join(dir, "dovecot.conf")
	if err := os.CopyFS(filepath.Join(dir, "mail"), os.DirFS(maildir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, dovecotConfig, dir, u.Username, g.Name, uid, gid, port),
		0o644); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, uid, gid)
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-F", "-c", config)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	program.Launch(t, cmd, address)
	return address
}

// An imapClient is a minimal mail program.
type imapClient struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	n    int
}

var literal = regexp.MustCompile(`\{(\d+)\}\r\n$`)

// ask sends a command and returns the response up to its tagged end, with literals.
func (c *imapClient) ask(command string) string {
	c.t.Helper()
	c.n++
	tag := fmt.Sprintf("a%d", c.n)
	fmt.Fprintf(c.conn, "%s %s\r\n", tag, command)
	var all strings.Builder
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			c.t.Fatalf("%s: %v", command, err)
		}
		if rest, ok := strings.CutPrefix(line, tag+" "); ok {
			if !strings.HasPrefix(rest, "OK") {
				c.t.Fatalf("%s: %s", command, rest)
			}
			return all.String()
		}
		all.WriteString(line)
		if n := literal.FindStringSubmatch(line); n != nil {
			size, _ := strconv.ParseInt(n[1], 10, 32)
			if _, err := io.CopyN(&all, c.r, size); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// section fetches a part of a message.
func (c *imapClient) section(n int, what string) string {
	c.t.Helper()
	answer := c.ask(fmt.Sprintf("FETCH %d BODY.PEEK[%s]", n, what))
	_, content, ok := strings.Cut(answer, "}\r\n")
	if !ok {
		c.t.Fatalf("BODY[%s]: %q", what, answer)
	}
	return strings.TrimSuffix(content, ")\r\n")
}

// TestMailOverIMAP checks a Maildir with another project's server: sender and date, two parts of the same text, and a
// single thread for readers who chose it.
func TestMailOverIMAP(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	o := newOffice(t, storetest.SQLite(t), 5)
	o.seal()
	o.add(firstMidnight().Add(oneDay), "Europe/Paris", "apart@example.org", "together@example.org")
	o.at(o.now, "user", "set", "together@example.org", "--threaded")
	for day := range 3 {
		for _, now := range []time.Duration{-time.Hour, 0} {
			o.set(firstMidnight().Add(time.Duration(day)*oneDay + now))
			o.at(o.now, "tick")
		}
	}
	in := newLetterbox(o.house)
	letters := in.arrived(t)
	if len(letters) != 6 {
		t.Fatalf("%d letters lie in the Maildir", len(letters))
	}
	conn := program.Dial(t, dovecot(t, o.Maildir()))
	defer conn.Close()
	c := &imapClient{t: t, conn: conn, r: bufio.NewReader(conn)}
	c.ask("LOGIN reader secret")
	if answer := c.ask("SELECT INBOX"); !strings.Contains(answer, "* 6 EXISTS") {
		t.Fatalf("the mailbox: %s", answer)
	}
	subjects := map[int]string{}
	for n := 1; n <= 6; n++ {
		subjects[n] = c.checkShown(n, letters)
	}
	c.checkThreads(subjects)
}

var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// checkShown compares the server's data about a message with the letter, and returns the recipient.
func (c *imapClient) checkShown(n int, letters []letter) (to string) {
	c.t.Helper()
	envelope := c.ask(fmt.Sprintf("FETCH %d (ENVELOPE)", n))
	i := slices.IndexFunc(letters, func(l letter) bool { return strings.Contains(envelope, l.ID) })
	if i < 0 {
		c.t.Fatalf("no letter is %s", envelope)
	}
	l := letters[i]
	fields := quoted.FindAllStringSubmatch(envelope, 3)
	date, err := time.Parse("Mon, 2 Jan 2006 15:04:05 -0700", fields[0][1])
	subject, _ := new(mime.WordDecoder).DecodeHeader(fields[1][1])
	if err != nil || !date.Equal(l.Date) || subject != l.Subject {
		c.t.Errorf("it shows the date %q and the subject %q of %q", fields[0][1], subject, l.Subject)
	}
	local, host, _ := strings.Cut(l.To, "@")
	if !strings.Contains(envelope, fmt.Sprintf("%q %q", local, host)) ||
		!strings.Contains(envelope, `("Daily Digest" NIL "digest" "example.org")`) {
		c.t.Errorf("the envelope to %s: %s", l.To, envelope)
	}
	structure := strings.ToLower(c.ask(fmt.Sprintf("FETCH %d (BODYSTRUCTURE)", n)))
	plain, rich := strings.Index(structure, `"text" "plain"`), strings.Index(structure, `"text" "html"`)
	if plain < 0 || rich < plain || !strings.Contains(structure, `"alternative"`) ||
		strings.Count(structure, `"charset" "utf-8"`) != 2 {
		c.t.Errorf("the structure: %s", structure)
	}
	if c.section(n, "TEXT") == "" {
		c.t.Error("BODY[TEXT] is empty")
	}
	for part, want := range map[string]string{"1": l.Text, "2": l.HTML} {
		content, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(c.section(n, part))))
		if err != nil || strings.TrimSpace(string(content)) != strings.TrimSpace(want) {
			c.t.Errorf("BODY[%s] has %d octets, want %d; %v", part, len(content), len(want), err)
		}
	}
	return l.To
}

// checkThreads checks that the editions of one reader are one thread, and the other's are three.
func (c *imapClient) checkThreads(to map[int]string) {
	c.t.Helper()
	answer := c.ask("THREAD REFERENCES UTF-8 ALL")
	var sizes []string
	for _, thread := range regexp.MustCompile(`\((?:[\d ]|\([\d ]*\))+\)`).FindAllString(answer, -1) {
		members := regexp.MustCompile(`\d+`).FindAllString(thread, -1)
		n, _ := strconv.Atoi(members[0])
		sizes = append(sizes, fmt.Sprintf("%s %d", to[n], len(members)))
	}
	slices.Sort(sizes)
	if want := []string{"apart@example.org 1", "apart@example.org 1", "apart@example.org 1",
		"together@example.org 3"}; !slices.Equal(sizes, want) {
		c.t.Errorf("the threads are %q (%s), want %q", sizes, answer, want)
	}
}
