package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func wrongSetting(t *testing.T, err error) string {
	t.Helper()
	var wrong *Error
	if !errors.As(err, &wrong) {
		t.Fatalf("got %v, want an *Error", err)
	}
	return wrong.Setting
}

func TestLoadGivesDefaults(t *testing.T) {
	s, err := Load(environment(nil), "")
	if err != nil {
		t.Fatal(err)
	}
	if s.StateDir != "/var/lib/leadline-agent" || s.SpoolBytes != 200<<20 || s.HostRoot != "/" || s.PlainHTTP {
		t.Errorf("got %+v", s)
	}
}

func TestLoadPrefersTheFlag(t *testing.T) {
	s, err := Load(environment(map[string]string{"LEADLINE_STATE_DIR": "/from/environment"}), "/from/flag")
	if err != nil || s.StateDir != "/from/flag" {
		t.Errorf("got %q, %v", s.StateDir, err)
	}
}

func TestLoadNamesTheWrongSetting(t *testing.T) {
	for name, value := range map[string]string{
		"LEADLINE_SPOOL_BYTES": "many",
		"LEADLINE_LOG_LEVEL":   "loud",
		"LEADLINE_PLAIN_HTTP":  "maybe",
		"LEADLINE_HOST_ROOT":   "host",
		"LEADLINE_CA_FILE":     "/nowhere/ca.pem",
	} {
		_, err := Load(environment(map[string]string{name: value}), "")
		if got := wrongSetting(t, err); got != name {
			t.Errorf("%s=%s: the error names %s", name, value, got)
		}
	}
	_, err := Load(environment(map[string]string{"LEADLINE_SPOOL_BYTES": "1024"}), "")
	if wrongSetting(t, err) != "LEADLINE_SPOOL_BYTES" {
		t.Error("a spool too small for one pass was accepted")
	}
}

func TestSecretComesFromTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("pass word \r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	value, found, err := Secret(environment(map[string]string{"LEADLINE_X_FILE": path}), "LEADLINE_X")
	if err != nil || !found || value != "pass word " {
		t.Errorf("got %q, %v, %v", value, found, err)
	}
	if _, found, err = Secret(environment(nil), "LEADLINE_X"); found || err != nil {
		t.Errorf("nothing set: got %v, %v", found, err)
	}
	both := map[string]string{"LEADLINE_X": "hunter2", "LEADLINE_X_FILE": path}
	_, _, err = Secret(environment(both), "LEADLINE_X")
	if wrongSetting(t, err) != "LEADLINE_X" || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("both set: got %v", err)
	}
}

func TestSecretFileRefusesWhatEverybodyCanRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "password")
	for mode, accepted := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o644: false, 0o604: false} {
		if err := os.WriteFile(path, []byte("s3cret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		value, err := SecretFile("--password-file", path, true)
		if accepted && (err != nil || value != "s3cret") {
			t.Errorf("%o: got %q, %v", mode, value, err)
		}
		if !accepted && (wrongSetting(t, err) != "--password-file" || !strings.Contains(err.Error(), "chmod 600")) {
			t.Errorf("%o: got %v", mode, err)
		}
		if _, err := SecretFile("--token-file", path, false); err != nil {
			t.Errorf("%o: a file that need not be private was refused: %v", mode, err)
		}
	}
	var wrong *Error
	if _, err := SecretFile("--password-file", path+"x", true); !errors.As(err, &wrong) || !wrong.Unreadable {
		t.Errorf("a missing file: got %v", err)
	}
}
