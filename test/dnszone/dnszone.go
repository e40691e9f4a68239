// Package dnszone serves DNS records to tests.
package dnszone

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// A Zone holds the records of a DNS server, one for each line: name, type and data, as in "example.org MX 10
// mail.example.org". The type SERVFAIL makes the server answer that for a name.
type Zone []string

// Without returns a zone without the lines that begin with a prefix.
func (z Zone) Without(prefix string) Zone {
	return slices.DeleteFunc(slices.Clone(z), func(line string) bool { return strings.HasPrefix(line, prefix) })
}

// With returns a zone with more lines.
func (z Zone) With(lines ...string) Zone { return append(slices.Clone(z), lines...) }

// Resolver returns a resolver that asks the server at an address.
func Resolver(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
}

// Serve serves a zone on loopback until the test ends.
func (z Zone) Serve(t testing.TB) (address string) { return Serve(t, func() Zone { return z }) }

// Serve serves a zone that changes.
func Serve(t testing.TB, zone func() Zone) (address string) {
	t.Helper()
	packets, streams := listen(t)
	var wg sync.WaitGroup
	wg.Go(func() { servePackets(packets, zone) })
	wg.Go(func() { serveStreams(streams, zone) })
	t.Cleanup(func() {
		packets.Close()
		streams.Close()
		wg.Wait()
	})
	return packets.LocalAddr().String()
}

// listen opens a UDP port and the TCP port of the same number, which another process may have.
func listen(t testing.TB) (net.PacketConn, net.Listener) {
	t.Helper()
	for {
		packets, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if streams, err := net.Listen("tcp", packets.LocalAddr().String()); err == nil {
			return packets, streams
		}
		packets.Close()
	}
}

func servePackets(c net.PacketConn, zone func() Zone) {
	b := make([]byte, 4096)
	for {
		n, from, err := c.ReadFrom(b)
		if err != nil {
			return
		}
		const most = 1232 // the size that resolvers accept
		reply := zone().answer(b[:n], false)
		if len(reply) > most {
			reply = zone().answer(b[:n], true)
		}
		c.WriteTo(reply, from)
	}
}

func serveStreams(l net.Listener, zone func() Zone) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			var size [2]byte
			if _, err := io.ReadFull(c, size[:]); err != nil {
				return
			}
			question := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(c, question); err != nil {
				return
			}
			reply := zone().answer(question, false)
			c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
		}()
	}
}

func (z Zone) answer(question []byte, truncated bool) []byte {
	var p dnsmessage.Parser
	header, err := p.Start(question)
	if err != nil {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: header.ID, Response: true, RecursionAvailable: true, Truncated: truncated},
		Questions: []dnsmessage.Question{q},
	}
	if !z.find(q.Name, q, &reply) {
		reply.RCode = dnsmessage.RCodeNameError
	}
	packed, err := reply.Pack()
	if err != nil {
		panic(err)
	}
	return packed
}

// find adds the records of a name to a reply, and reports whether the name exists.
func (z Zone) find(name dnsmessage.Name, q dnsmessage.Question, reply *dnsmessage.Message) (known bool) {
	for _, line := range z {
		fields := strings.SplitN(line, " ", 3)
		if !strings.EqualFold(fields[0]+".", name.String()) {
			continue
		}
		known = true
		if fields[1] == "SERVFAIL" {
			reply.RCode = dnsmessage.RCodeServerFailure
		} else if is := "Type" + fields[1]; !reply.Truncated && (is == q.Type.String() || fields[1] == "CNAME") {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: name, Class: q.Class, TTL: 60},
				Body:   body(fields[1], fields[2]),
			})
		}
		if fields[1] == "CNAME" {
			z.find(dnsmessage.MustNewName(fields[2]+"."), q, reply)
		}
	}
	return known
}

// body returns the data of a record. It splits a text into strings of at most 255 bytes.
func body(kind, data string) dnsmessage.ResourceBody {
	switch kind {
	case "A":
		return &dnsmessage.AResource{A: netip.MustParseAddr(data).As4()}
	case "AAAA":
		return &dnsmessage.AAAAResource{AAAA: netip.MustParseAddr(data).As16()}
	case "PTR":
		return &dnsmessage.PTRResource{PTR: dnsmessage.MustNewName(data + ".")}
	case "CNAME":
		return &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(data + ".")}
	case "MX":
		preference, host, _ := strings.Cut(data, " ")
		n, _ := strconv.Atoi(preference)
		return &dnsmessage.MXResource{Pref: uint16(n), MX: dnsmessage.MustNewName(strings.TrimSuffix(host, ".") + ".")}
	case "TXT":
		txt := &dnsmessage.TXTResource{}
		for part := range slices.Chunk([]byte(data), 255) {
			txt.TXT = append(txt.TXT, string(part))
		}
		return txt
	}
	panic("no data for " + kind)
}
