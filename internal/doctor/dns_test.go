package doctor_test

import (
	"context"
	"encoding/binary"
	"fmt"
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

// A zone holds the records of a DNS server, one for each line: name, type and data, as in "example.org MX 10
// mail.example.org". The type SERVFAIL makes the server answer that for a name.
type zone []string

func (z zone) without(prefix string) zone {
	return slices.DeleteFunc(slices.Clone(z), func(line string) bool { return strings.HasPrefix(line, prefix) })
}

func (z zone) with(lines ...string) zone { return append(slices.Clone(z), lines...) }

func (z zone) serve(t testing.TB) (address string) {
	t.Helper()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	streams, err := net.Listen("tcp", packets.LocalAddr().String())
	if err != nil {
		packets.Close()
		t.Skipf("no TCP port beside the UDP port: %v", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { z.servePackets(packets) })
	wg.Go(func() { z.serveStreams(streams) })
	t.Cleanup(func() {
		packets.Close()
		streams.Close()
		wg.Wait()
	})
	return packets.LocalAddr().String()
}

func (z zone) servePackets(c net.PacketConn) {
	b := make([]byte, 4096)
	for {
		n, from, err := c.ReadFrom(b)
		if err != nil {
			return
		}
		const most = 1232 // the size that resolvers accept
		reply := z.answer(b[:n], false)
		if len(reply) > most {
			reply = z.answer(b[:n], true)
		}
		c.WriteTo(reply, from)
	}
}

func (z zone) serveStreams(l net.Listener) {
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
			reply := z.answer(question, false)
			c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
		}()
	}
}

func (z zone) answer(question []byte, truncated bool) []byte {
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
	known := false
	for _, line := range z {
		fields := strings.SplitN(line, " ", 3)
		if !strings.EqualFold(fields[0]+".", q.Name.String()) {
			continue
		}
		known = true
		if fields[1] == "SERVFAIL" {
			reply.RCode = dnsmessage.RCodeServerFailure
		} else if "Type"+fields[1] == q.Type.String() && !truncated {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60},
				Body:   body(fields[1], fields[2]),
			})
		}
	}
	if !known {
		reply.RCode = dnsmessage.RCodeNameError
	}
	packed, err := reply.Pack()
	if err != nil {
		panic(err)
	}
	return packed
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

func reverse(address string) string {
	a := netip.MustParseAddr(address)
	var labels []string
	if a.Is4() {
		for _, b := range a.As4() {
			labels = append([]string{strconv.Itoa(int(b))}, labels...)
		}
		return strings.Join(labels, ".") + ".in-addr.arpa"
	}
	for _, b := range a.As16() {
		labels = append([]string{fmt.Sprintf("%x.%x", b&15, b>>4)}, labels...)
	}
	return strings.Join(labels, ".") + ".ip6.arpa"
}

func asking(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
}
