package mysql

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"
)

// certificate makes one for the given addresses, and the pool that trusts it.
func certificate(t *testing.T, until time.Time, names ...net.IP) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test server"},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until, IPAddresses: names,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

func TestCertificates(t *testing.T) {
	loopback, other := net.IPv4(127, 0, 0, 1), net.IPv4(192, 0, 2, 1)
	later := time.Now().Add(time.Hour)
	for _, c := range []struct {
		name    string
		until   time.Time
		made    net.IP
		mode    string
		trusted bool
		want    string // part of the sentence; empty means it works
	}{
		{"trusted and made out to the address", later, loopback, TLSRequired, true, ""},
		{"of an unknown authority", later, loopback, TLSRequired, false, "authority this host does not trust"},
		{"made out to another", later, other, TLSRequired, true, `not made out to "127.0.0.1"`},
		{"expired", time.Now().Add(-time.Hour), loopback, TLSRequired, true, "is not valid"},
		{"not looked at", time.Now().Add(-time.Hour), other, TLSSkipVerify, false, ""},
		{"not looked at when only preferred", time.Now().Add(-time.Hour), other, TLSPreferred, false, ""},
		{"not used", later, other, TLSOff, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, pool := certificate(t, c.until, c.made)
			encrypted := make(chan bool, 1)
			f := startFakeServer(t, "127.0.0.1:0", config, func(conn net.Conn, statement string) {
				if isSet(statement) {
					send(conn, 1, okReply)
					return
				}
				_, ok := conn.(*tls.Conn)
				encrypted <- ok
				sendRows(conn, false, [2]string{"Uptime", "1"})
			})
			connection := Connection{Address: f.listener.Addr().String(), User: "leadline", TLS: c.mode}
			if c.trusted {
				connection.RootCAs = pool
			}
			s, err := Open(connection)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			_, err = status(t.Context(), s)
			if c.want != "" {
				wantProblem(t, err, CodeTLS, c.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := <-encrypted; got != (c.mode != TLSOff) {
				t.Errorf("encrypted: %v", got)
			}
		})
	}
}

func TestAServerWithoutTLS(t *testing.T) {
	f := newFakeServer(t, func(conn net.Conn, statement string) {
		if isSet(statement) {
			send(conn, 1, okReply)
			return
		}
		sendRows(conn, false, [2]string{"Uptime", "1"})
	})
	for mode, want := range map[string]string{TLSPreferred: "", TLSRequired: "offers no TLS", TLSSkipVerify: "offers no TLS"} {
		s, err := Open(Connection{Address: f.listener.Addr().String(), User: "leadline", TLS: mode})
		if err != nil {
			t.Fatal(err)
		}
		_, err = status(t.Context(), s)
		if want == "" && err != nil {
			t.Errorf("tls %s: %v", mode, err)
		}
		if want != "" {
			wantProblem(t, err, CodeTLS, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTLSOverASocket(t *testing.T) {
	for mode, used := range map[string]bool{TLSOff: false, TLSPreferred: false, TLSRequired: true, TLSSkipVerify: true} {
		checked, err := checkTarget(Connection{Address: "unix:/run/mysqld/mysqld.sock", User: "u", TLS: mode})
		if err != nil {
			t.Fatal(err)
		}
		if got := checked.tlsConfig() != nil; got != used {
			t.Errorf("tls %s over a socket: used %v, want %v", mode, got, used)
		}
	}
}

func TestIPv6(t *testing.T) {
	var config net.ListenConfig
	try, err := config.Listen(t.Context(), "tcp", "[::1]:0")
	if err != nil {
		t.Skipf("this machine has no IPv6 loopback: %v", err)
	}
	if err := try.Close(); err != nil {
		t.Fatal(err)
	}
	f := startFakeServer(t, "[::1]:0", nil, func(conn net.Conn, statement string) {
		if isSet(statement) {
			send(conn, 1, okReply)
			return
		}
		sendRows(conn, false, [2]string{"Uptime", "6"})
	})
	got, err := status(t.Context(), openFake(t, f, quick))
	if err != nil || got["mysql_global_status_uptime"] != 6 {
		t.Errorf("over IPv6: %v, %v", got, err)
	}
}
