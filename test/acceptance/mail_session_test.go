package acceptance

import (
	"bytes"
	"strings"
	"time"
)

// say sends a response; within a group of commands it stays in the buffer.
func (c *mailSession) say(lines ...string) error {
	for _, line := range lines {
		c.w.WriteString(line + "\r\n") //nolint:errcheck // Flush returns the same error
	}
	if c.r.Buffered() > 0 {
		return nil
	}
	return c.w.Flush()
}

// ask calls the trap and then the plan. A trapped command gets no response.
func (c *mailSession) ask(at point) (fault, error) {
	c.mu.Lock()
	m := moment{at: at, messages: c.count, now: c.now}
	if c.open != nil {
		m.to = c.open.to
		c.open.reached = at
	}
	t := c.traps[c.run]
	if t != nil && t.at == at {
		t.n--
	}
	sprung := t != nil && t.at == at && t.n == 0
	p := c.plan
	c.mu.Unlock()
	if sprung {
		t.spring()
		if !t.goOn {
			return fault{}, errEnd
		}
	}
	f := p(m)
	if f.trick != honest {
		c.mu.Lock()
		c.injected[string(at)+": "+string(f.trick)]++
		c.mu.Unlock()
	}
	return f, nil
}

// answer sends the correct response at a point, or applies the plan's fault. The code is 0 if the response is
// unreadable.
func (c *mailSession) answer(at point, right ...string) (code int, err error) {
	f, err := c.ask(at)
	if err != nil {
		return 0, err
	}
	return c.play(f, right...)
}

func (c *mailSession) play(f fault, right ...string) (code int, err error) {
	switch f.trick {
	case drop:
		return 0, errEnd
	case silent:
		c.rest(f.wait)
		return 0, errEnd
	case garbage:
		return 0, c.say("\x00\xffNot an answer at all")
	case bye:
		right = []string{"421 4.3.2 mail.example is going down"}
	case half:
		text := right[0] + " and so on"
		c.w.WriteString(text[:len(text)/2]) //nolint:errcheck // the session ends anyway
		c.w.Flush()                         //nolint:errcheck
		return 0, errEnd
	case torn:
		c.w.WriteString(right[0][:3] + "-the first of several lines\r\n") //nolint:errcheck
		c.w.Flush()                                                       //nolint:errcheck
		return 0, errEnd
	case delay:
		c.rest(f.wait)
	case refuse:
		right = []string{f.reply}
	}
	code, err = c.tell(right)
	if err == nil && (f.trick == bye || code == 421) {
		c.w.Flush() //nolint:errcheck
		err = errEnd
	}
	return code, err
}

// tell sends a response and records it under the same lock, so that the client never knows more than the journal.
func (c *mailSession) tell(lines []string) (code int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.say(lines...); err != nil {
		return 0, err
	}
	code = codeOf(lines[0])
	if a := c.open; a != nil {
		a.code, a.reply = code, lines[0]
		if a.kept && c.w.Flush() == nil {
			c.journal[c.entry].answer = lines[0]
		}
	}
	return code, nil
}

// rest flushes and waits, like a slow server.
func (c *mailSession) rest(d time.Duration) {
	c.w.Flush() //nolint:errcheck // the next response shows it
	select {
	case <-time.After(d):
	case <-c.t.Context().Done():
	}
}

func (c *mailSession) data() error {
	if c.open == nil || c.open.to == "" {
		return c.say("503 5.5.1 RCPT first")
	}
	code, err := c.answer(atDATA, "354 go on")
	if err != nil || code != 354 {
		c.note(func(a *attempt) { a.dot = false })
		return err
	}
	if err := c.w.Flush(); err != nil {
		return err
	}
	f, err := c.ask(inBody)
	if err != nil {
		return err
	}
	raw, err := c.body(f)
	if err != nil {
		return err
	}
	c.note(func(a *attempt) { a.dot, a.code, a.reply = true, 0, "" })
	return c.dot(raw)
}

// body reads lines up to the dot, and removes doubled dots (RFC 5321 §4.5.2). A fault happens after some lines.
func (c *mailSession) body(f fault) ([]byte, error) {
	var raw bytes.Buffer
	broken := 0
	if f.trick != honest {
		broken = 1 + int(f.wait/time.Millisecond)*4
	}
	for n := 1; ; n++ {
		line, err := c.line(1000) // §4.5.3.1.6
		if err != nil {
			return nil, err
		}
		if line == "." {
			return raw.Bytes(), nil
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r > '~' || r < ' ' && r != '\t' }) {
			c.violated("a body that was called 7bit has %q", line)
		}
		raw.WriteString(strings.TrimPrefix(line, ".") + "\r\n")
		if n != broken {
			continue
		}
		if f.trick == garbage || f.trick == refuse { // only this response is valid here
			f.trick = bye
		}
		if f.trick == delay {
			c.rest(f.wait)
			continue
		}
		if _, err := c.play(f, "421 4.3.2 going down"); err != nil {
			return nil, err
		}
	}
}

// dot stores a message, or not, and responds.
func (c *mailSession) dot(raw []byte) error {
	defer c.finish()
	lost, err := c.ask(atDotLost)
	if err != nil {
		return err
	}
	if lost.trick == delay {
		c.rest(lost.wait)
	} else if lost.trick != honest {
		_, err := c.play(lost, "250 2.0.0 lost")
		return err
	}
	c.keep(raw)
	_, err = c.answer(atDotStored, "250 2.0.0 kept")
	return err
}

func (c *mailSession) keep(raw []byte) {
	c.count++
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open.kept, c.entry = true, len(c.journal)
	c.journal = append(c.journal, accepted{
		conn: c.id, run: c.run, now: c.now, from: c.open.from, to: c.open.to, raw: raw,
	})
}
