package mysql

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeServer speaks just enough of the protocol to be logged in to, and then
// does what a real server cannot be made to do.
type fakeServer struct {
	listener net.Listener
	answer   func(conn net.Conn, statement string) // writes the reply or does not
	tls      *tls.Config                           // nil offers none

	mu         sync.Mutex
	statements []string
	open, most int // connections
	conns      []net.Conn
}

func newFakeServer(t *testing.T, answer func(conn net.Conn, statement string)) *fakeServer {
	t.Helper()
	return startFakeServer(t, "127.0.0.1:0", nil, answer)
}

func startFakeServer(t *testing.T, address string, encryption *tls.Config, answer func(conn net.Conn, statement string)) *fakeServer {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeServer{listener: listener, answer: answer, tls: encryption}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() { f.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		f.hangUp()
		served.Wait()
	})
	return f
}

// hangUp closes every connection.
func (f *fakeServer) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.conns {
		_ = conn.Close()
	}
}

func (f *fakeServer) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.statements...)
}

func (f *fakeServer) serve(conn net.Conn) {
	f.mu.Lock()
	f.conns = append(f.conns, conn)
	f.open++
	f.most = max(f.most, f.open)
	f.mu.Unlock()
	defer func() {
		_ = conn.Close()
		f.mu.Lock()
		f.open--
		f.mu.Unlock()
	}()
	conn, ok := f.login(conn)
	if !ok {
		return
	}
	for {
		command, ok := receive(conn)
		if !ok || command[0] != 3 {
			return
		}
		f.mu.Lock()
		f.statements = append(f.statements, string(command[1:]))
		f.mu.Unlock()
		f.answer(conn, string(command[1:]))
	}
}

// login greets and lets anyone in, over TLS where it is offered and asked for.
func (f *fakeServer) login(conn net.Conn) (net.Conn, bool) {
	const offersTLS, asksTLS, loginLength = 0x08, 0x08, 33
	greeting := []byte("\x0a10.11.0-MariaDB\x00" + "\x01\x00\x00\x00" + "12345678\x00" +
		"\x00\xa2\x2d\x02\x00\x08\x00\x15" + strings.Repeat("\x00", 10) + "123456789012\x00mysql_native_password\x00")
	if f.tls != nil {
		greeting[len("\x0a10.11.0-MariaDB\x00")+14] |= offersTLS
	}
	if !send(conn, 0, string(greeting)) {
		return conn, false
	}
	reply, ok := receive(conn)
	if ok && f.tls != nil && reply[1]&asksTLS != 0 && len(reply) < loginLength {
		conn = tls.Server(conn, f.tls)
		_, ok = receive(conn)
		return conn, ok && send(conn, 3, okReply)
	}
	return conn, ok && send(conn, 2, okReply)
}

const okReply = "\x00\x00\x00\x02\x00\x00\x00"

func send(w io.Writer, sequence byte, body string) bool {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	head[3] = sequence
	_, err := w.Write(append(head, body...))
	return err == nil
}

func receive(r io.Reader) ([]byte, bool) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, false
	}
	head[3] = 0
	body := make([]byte, binary.LittleEndian.Uint32(head))
	_, err := io.ReadFull(r, body)
	return body, err == nil && len(body) > 0
}

// sendRows replies with rows of two texts; begin stops after the first row.
func sendRows(conn net.Conn, begin bool, rows ...[2]string) {
	column := func(name string) string {
		return "\x03def\x00\x00\x00" + string(rune(len(name))) + name + "\x00\x0c\x21\x00\xff\x00\x00\x00\xfd\x00\x00\x00\x00\x00"
	}
	const end = "\xfe\x00\x00\x02\x00"
	packets := []string{"\x02", column("Variable_name"), column("Value"), end}
	for _, row := range rows {
		packets = append(packets, string(rune(len(row[0])))+row[0]+string(rune(len(row[1])))+row[1])
		if begin {
			break
		}
	}
	if !begin {
		packets = append(packets, end)
	}
	for i, packet := range packets {
		send(conn, byte(i+1), packet)
	}
}

// sendError replies with an error of the server's.
func sendError(conn net.Conn, number uint16, message string) {
	send(conn, 1, "\xff"+string(binary.LittleEndian.AppendUint16(nil, number))+"#HY000"+message)
}

func isSet(statement string) bool { return strings.HasPrefix(statement, Marker+"SET ") }

// quick are limits that a test can wait for.
var quick = limits{
	connect: 2 * time.Second, statement: time.Second, reply: 100 * time.Millisecond, lost: time.Hour,
	idle: time.Minute, life: time.Minute, grants: time.Minute,
}

func openFake(t *testing.T, f *fakeServer, l limits) *Server {
	t.Helper()
	s, err := open(Connection{
		Address: f.listener.Addr().String(), User: "leadline", TLS: TLSOff,
		Password: func() (string, error) { return "s3cret", nil },
	}, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// status runs the status reader once.
func status(ctx context.Context, s *Server) (map[string]float64, error) {
	got := map[string]float64{}
	err := newGlobalStatus(s).Collect(ctx, keep(got))
	return got, err
}
