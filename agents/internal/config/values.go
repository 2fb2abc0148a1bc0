package config

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	slugRule   = "use 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends."
	slugMax    = 63
	socketMax  = 107 // what fits into sun_path of a Unix socket address
	labelMax   = 128
	defaultTLS = "preferred"
)

var (
	slugPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	notInSlug   = regexp.MustCompile(`[^a-z0-9]+`)
	hostPattern = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?\.?$`)
	tlsModes    = []string{"off", defaultTLS, "required", "skip-verify"}
)

// Slug checks a node's or service's name, given by the named setting.
func Slug(setting, value string) error {
	if slugPattern.MatchString(value) {
		return nil
	}
	if value == "" {
		return &Error{Setting: setting, Problem: "give a name: " + slugRule}
	}
	return &Error{Setting: setting, Problem: strconv.Quote(value) + " is not a name: " + slugRule}
}

// SlugOf makes a slug of a host name: "DB1.example.org" is "db1-example-org".
// It is empty when no letter or digit is left.
func SlugOf(hostname string) string {
	slug := strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(hostname), "-"), "-")
	return strings.Trim(slug[:min(len(slug), slugMax)], "-")
}

// Address checks where a database server listens: host:port, [IPv6]:port or
// unix:/path.
func Address(setting, value string) error {
	if path, isSocket := strings.CutPrefix(value, "unix:"); isSocket {
		if strings.HasPrefix(path, "/") && len(path) <= socketMax && printable(path) {
			return nil
		}
		return &Error{Setting: setting, Problem: "give the socket as unix:/path, an absolute path of at most 107 bytes."}
	}
	wrong := &Error{Setting: setting, Problem: strconv.Quote(value) + " is not an address: use host:port, [IPv6 address]:port or unix:/path."}
	if value == "" {
		wrong.Problem = "give the address: host:port, [IPv6 address]:port or unix:/path."
	}
	host, port, err := net.SplitHostPort(value)
	if err != nil {
		return wrong
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return wrong
	}
	if strings.HasPrefix(value, "[") {
		if ip, err := netip.ParseAddr(host); err != nil || !ip.Is6() || ip.Zone() != "" {
			return wrong
		}
		return nil
	}
	if !hostPattern.MatchString(host) {
		return wrong
	}
	return nil
}

// TLSMode checks how to speak to a database server; empty is "preferred".
func TLSMode(setting, value string) (string, error) {
	if value == "" {
		return defaultTLS, nil
	}
	if !slices.Contains(tlsModes, value) {
		return "", &Error{Setting: setting, Problem: strconv.Quote(value) + " is none of " + strings.Join(tlsModes, ", ") + "."}
	}
	return value, nil
}

// Label checks a label's value: printable text of bounded length, empty is fine.
func Label(setting, value string) error {
	if len([]rune(value)) > labelMax {
		return &Error{Setting: setting, Problem: "use at most 128 characters."}
	}
	if !printable(value) {
		return &Error{Setting: setting, Problem: "use printable characters only."}
	}
	return nil
}

// User checks the name of a database user.
func User(setting, value string) error {
	if value == "" {
		return &Error{Setting: setting, Problem: "name the database user that the agent signs in as."}
	}
	return Label(setting, value)
}

// ServerURL checks the address of the Leadline server and gives it without a
// trailing slash. http:// is for this machine only, unless plainHTTP: keys and
// tokens would cross the network readable.
func ServerURL(setting, raw string, plainHTTP bool) (string, error) {
	if raw == "" {
		return "", &Error{Setting: setting, Problem: "give the address of the Leadline server, such as https://leadline.example.org."}
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", &Error{Setting: setting, Problem: "this is not an address such as https://leadline.example.org."}
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", &Error{Setting: setting, Problem: "give scheme, host, port and path only: no user, no '?', no '#'."}
	}
	if u.Scheme == "http" && !plainHTTP && !loopback(u.Hostname()) {
		return "", &Error{Setting: setting, Problem: "http:// would send the agent's key readable over the network: use https://, or set LEADLINE_PLAIN_HTTP=1 where the network is your own."}
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
