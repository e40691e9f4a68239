package acceptance

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// A point is a step of a mail session at which a fault can happen.
type point string

const (
	atBanner    point = "banner"
	atEHLO      point = "EHLO"
	atSTARTTLS  point = "STARTTLS"
	atAUTH      point = "AUTH"
	atMAIL      point = "MAIL"
	atRCPT      point = "RCPT"
	atDATA      point = "DATA"
	inBody      point = "body"
	atDotLost   point = "dot, lost" // the server does not store the message
	atDotStored point = "dot, kept" // it stores the message before the response
	atRSET      point = "RSET"
	atQUIT      point = "QUIT"
)

// A trick is a kind of fault.
type trick string

const (
	honest  trick = ""
	drop    trick = "drop"    // the connection ends without a response
	delay   trick = "delay"   // the correct response, later
	refuse  trick = "refuse"  // another response: 4xx or 5xx
	bye     trick = "421"     // and the connection ends
	garbage trick = "garbage" // an invalid response
	half    trick = "half"    // the response ends before its end of line
	torn    trick = "torn"    // the first line of a longer response, then the end
	silent  trick = "silent"  // no response for a while, then the end
)

// A fault is a trick at a point.
type fault struct {
	trick trick
	reply string // for refuse
	wait  time.Duration
}

// A moment is the state of a session when it calls a plan.
type moment struct {
	at       point
	messages int    // accepted on the connection so far
	to       string // from RCPT on
	now      time.Time
}

// A plan decides the fault at each point.
type plan func(moment) fault

func noFaults(moment) fault { return fault{} }

// only returns a plan with one fault at one point, always.
func only(at point, f fault) plan {
	return func(m moment) fault {
		if m.at == at {
			return f
		}
		return fault{}
	}
}

// A chance draws faults from a seed.
type chance struct {
	mu     sync.Mutex
	random *rand.Rand
	rate   float64            // at every point
	rates  map[point]float64  // different rates
	codes  map[point][]string // the responses of refuse
	longer time.Duration      // the longest delay
}

func newChance(seed uint64, rate float64) *chance {
	return &chance{
		random: rand.New(rand.NewPCG(seed, 25)),
		rate:   rate,
		rates:  map[point]float64{atBanner: rate / 2, atEHLO: rate / 2, atDotStored: rate * 1.5},
		codes:  refusals(),
		longer: 60 * time.Millisecond,
	}
}

// refusals returns responses at each point that do not mean an unknown mailbox.
func refusals() map[point][]string {
	return map[point][]string{
		atBanner:    {"554 5.3.2 no service here", "450 4.3.2 not now"},
		atEHLO:      {"550 5.5.0 no", "451 4.3.0 try again"},
		atSTARTTLS:  {"454 4.7.0 no TLS for now"},
		atAUTH:      {"454 4.7.0 cannot check passwords for now", "535 5.7.8 wrong password"},
		atMAIL:      {"452 4.3.1 no room", "451 4.3.0 try again", "450 4.7.1 slow down"},
		atRCPT:      {"450 4.2.1 greylisted", "451 4.3.0 try again", "452 4.2.2 mailbox full", "452 4.5.3 too many"},
		atDATA:      {"451 4.3.0 try again", "452 4.3.1 no room"},
		inBody:      {"421 4.3.2 going down"},
		atDotLost:   {"451 4.3.0 try again", "452 4.3.1 no room", "450 4.7.1 not sure", "554 5.6.0 I do not like this"},
		atDotStored: {"451 4.3.0 try again"}, // a lie
		atRSET:      {"502 5.5.1 no RSET here", "451 4.3.0 try again"},
		atQUIT:      {"502 5.5.1 stay", "451 4.3.0 try again"},
	}
}

func (c *chance) plan(m moment) fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	rate, ok := c.rates[m.at]
	if !ok {
		rate = c.rate
	}
	if c.random.Float64() >= rate {
		return fault{}
	}
	tricks := []trick{drop, delay, refuse, bye, garbage, half, torn, silent}
	if m.at == atDotStored {
		tricks = []trick{drop, drop, delay, delay, bye, garbage, half, torn, silent, refuse}
	}
	f := fault{trick: tricks[c.random.IntN(len(tricks))]}
	f.wait = time.Duration(c.random.Int64N(int64(c.longer)))
	codes := c.codes[m.at]
	f.reply = codes[c.random.IntN(len(codes))]
	return f
}

// first combines plans: the first fault counts.
func first(plans ...plan) plan {
	return func(m moment) fault {
		for _, p := range plans {
			if f := p(m); f.trick != honest {
				return f
			}
		}
		return fault{}
	}
}

// greylist refuses each recipient's attempts for a duration after the first one of a day.
func greylist(wait time.Duration) plan {
	var mu sync.Mutex
	began := map[string]time.Time{}
	return func(m moment) fault {
		if m.at != atRCPT {
			return fault{}
		}
		mu.Lock()
		defer mu.Unlock()
		key := m.to + m.now.Format(time.DateOnly)
		if began[key].IsZero() {
			began[key] = m.now
		}
		if m.now.Sub(began[key]) < wait {
			return fault{trick: refuse, reply: "450 4.2.0 greylisted, come back later"}
		}
		return fault{}
	}
}

func (f fault) String() string {
	if f.trick == refuse {
		return fmt.Sprintf("%s %s", f.trick, f.reply)
	}
	return string(f.trick)
}
