package mysql

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
)

// TLS modes of a Connection.
const (
	TLSOff        = "off"         // never
	TLSPreferred  = "preferred"   // where the server offers it, whatever its certificate
	TLSRequired   = "required"    // with a certificate that proves the server's name
	TLSSkipVerify = "skip-verify" // always, whatever its certificate
)

// Connection says how to reach one server.
type Connection struct {
	Address  string                 // "host:port", "[v6]:port" or "unix:/path"
	User     string                 // the account's name, without its host part
	TLS      string                 // one of the TLS modes; empty means preferred
	Password func() (string, error) // asked at each new connection; nil means none
	RootCAs  *x509.CertPool         // for TLS required; nil means the system's
}

// target is a checked Connection.
type target struct {
	Connection
	network, address string // as net.Dial takes them
	host             string // that the certificate must name; empty on a socket
}

// checkTarget returns an error of one sentence that names the field.
func checkTarget(c Connection) (target, error) {
	if c.User == "" {
		return target{}, errors.New("user: give the name of the database account")
	}
	switch c.TLS {
	case "":
		c.TLS = TLSPreferred
	case TLSOff, TLSPreferred, TLSRequired, TLSSkipVerify:
	default:
		return target{}, fmt.Errorf("tls: %q is none of off, preferred, required and skip-verify", c.TLS)
	}
	if path, ok := strings.CutPrefix(c.Address, "unix:"); ok {
		if !filepath.IsAbs(path) {
			return target{}, fmt.Errorf("address: %q needs an absolute path after \"unix:\"", c.Address)
		}
		return target{Connection: c, network: "unix", address: path}, nil
	}
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil || host == "" {
		return target{}, fmt.Errorf("address: %q is neither host:port (an IPv6 address in brackets) nor unix:/path", c.Address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return target{}, fmt.Errorf("address: the port of %q is not a number from 1 to 65535", c.Address)
	}
	return target{Connection: c, network: "tcp", address: c.Address, host: host}, nil
}

// tlsConfig returns nil where TLS is not used. On a socket nobody stands in
// between and there is no host name to prove, so TLS is used there only to
// satisfy an account that demands it, and the certificate is not looked at.
func (t target) tlsConfig() *tls.Config {
	local := t.network == "unix"
	switch {
	case t.TLS == TLSOff, t.TLS == TLSPreferred && local:
		return nil
	case t.TLS == TLSRequired && !local:
		return &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.host, RootCAs: t.RootCAs}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true} //nolint:gosec // The mode that was asked for, or a socket.
}
