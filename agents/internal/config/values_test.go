package config

import (
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	for value, fine := range map[string]bool{
		"db1": true, "a": true, "orders-db-2": true, strings.Repeat("a", 63): true,
		"": false, "-db": false, "db-": false, "Db": false, "db_1": false, "db.1": false, strings.Repeat("a", 64): false, "db\n": false,
	} {
		if err := Slug("--name", value); (err == nil) != fine {
			t.Errorf("%q: got %v", value, err)
		}
	}
}

func TestSlugOf(t *testing.T) {
	for hostname, want := range map[string]string{
		"db1":                           "db1",
		"DB1.example.org":               "db1-example-org",
		"_x_":                           "x",
		"...":                           "",
		strings.Repeat("a", 62) + "--b": strings.Repeat("a", 62),
	} {
		got := SlugOf(hostname)
		if got != want {
			t.Errorf("%q: got %q, want %q", hostname, got, want)
		}
		if got != "" && Slug("", got) != nil {
			t.Errorf("%q gives %q, which is no slug", hostname, got)
		}
	}
}

func TestAddress(t *testing.T) {
	for value, fine := range map[string]bool{
		"127.0.0.1:3306": true, "db.example.org:3306": true, "[::1]:3306": true, "unix:/run/mysqld/mysqld.sock": true, "my_host:1": true,
		"": false, "db": false, "db:": false, ":3306": false, "db:0": false, "db:65536": false, "db:+1": false, "::1:3306": false,
		"[::1%eth0]:3306": false, "[db]:3306": false, "unix:run/x": false, "unix:": false, "d b:1": false, "http://db:1": false,
		"unix:/" + strings.Repeat("x", 107): false,
	} {
		if err := Address("--address", value); (err == nil) != fine {
			t.Errorf("%q: got %v", value, err)
		}
	}
}

func TestServerURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://leadline.example.org":   "https://leadline.example.org",
		"https://leadline.example.org/":  "https://leadline.example.org",
		"https://example.org:8443/under": "https://example.org:8443/under",
		"http://127.0.0.1:8427":          "http://127.0.0.1:8427",
		"http://localhost:8427":          "http://localhost:8427",
		"http://[::1]:8427":              "http://[::1]:8427",
		"http://example.org":             "",
		"leadline.example.org":           "",
		"ftp://example.org":              "",
		"https://user:pw@example.org":    "",
		"https://example.org?x=1":        "",
		"https://":                       "",
		"":                               "",
	} {
		got, err := ServerURL("--server", raw, false)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", raw, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("the error repeats a password: %v", err)
		}
	}
	if got, err := ServerURL("--server", "http://vmauth:8427", true); err != nil || got != "http://vmauth:8427" {
		t.Errorf("plain HTTP on wish: got %q, %v", got, err)
	}
}

func TestTLSModeLabelAndUser(t *testing.T) {
	if mode, err := TLSMode("--tls", ""); mode != "preferred" || err != nil {
		t.Errorf("default: got %q, %v", mode, err)
	}
	if _, err := TLSMode("--tls", "always"); err == nil {
		t.Error("an unknown mode was accepted")
	}
	if err := Label("--cluster", "a\x00b"); err == nil {
		t.Error("a control character was accepted")
	}
	if err := Label("--cluster", strings.Repeat("é", 128)); err != nil {
		t.Errorf("128 characters: %v", err)
	}
	if err := User("--user", ""); err == nil {
		t.Error("an empty user was accepted")
	}
}
