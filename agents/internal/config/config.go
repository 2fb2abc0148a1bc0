// Package config reads the agent's settings from the environment, once, and
// refuses a wrong one with its name.
package config

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	defaultStateDir   = "/var/lib/leadline-agent"
	defaultSpoolBytes = 200 << 20
	minSpoolBytes     = 1 << 20
)

// Error names the one setting, flag or value that is wrong.
type Error struct {
	Setting string // "LEADLINE_SPOOL_BYTES", "--name"
	Problem string // one sentence
	// Unreadable tells that the file which the setting names is not there or not
	// for this user to read.
	Unreadable bool
}

// Error gives "SETTING: sentence".
func (e *Error) Error() string { return e.Setting + ": " + e.Problem }

// Settings are what the environment says, checked.
type Settings struct {
	StateDir   string     // absolute path
	CAFile     string     // PEM bundle to trust beside the system's, or empty
	HostRoot   string     // where the watched host's / is seen ("/host" in a container)
	SpoolBytes int64      // bound of the spool on disk, in bytes
	PlainHTTP  bool       // http:// to another machine is wanted
	LogLevel   slog.Level // lowest level that is logged
}

// Load reads the settings. stateDir is the --state-dir flag and wins over
// LEADLINE_STATE_DIR; empty means not given.
func Load(getenv func(string) string, stateDir string) (Settings, error) {
	s := Settings{
		StateDir:   firstOf(stateDir, getenv("LEADLINE_STATE_DIR"), defaultStateDir),
		CAFile:     getenv("LEADLINE_CA_FILE"),
		HostRoot:   firstOf(getenv("LEADLINE_HOST_ROOT"), "/"),
		SpoolBytes: defaultSpoolBytes,
	}
	absolute, err := filepath.Abs(s.StateDir)
	if err != nil {
		return s, &Error{Setting: "LEADLINE_STATE_DIR", Problem: fmt.Sprintf("%q cannot be made an absolute path.", s.StateDir)}
	}
	s.StateDir = absolute
	if !filepath.IsAbs(s.HostRoot) {
		return s, &Error{Setting: "LEADLINE_HOST_ROOT", Problem: fmt.Sprintf("%q is not an absolute path.", s.HostRoot)}
	}
	if s.CAFile != "" {
		if s.CAFile, err = readableFile(s.CAFile); err != nil {
			return s, &Error{Setting: "LEADLINE_CA_FILE", Problem: err.Error()}
		}
	}
	if raw := getenv("LEADLINE_SPOOL_BYTES"); raw != "" {
		if s.SpoolBytes, err = strconv.ParseInt(raw, 10, 64); err != nil || s.SpoolBytes < minSpoolBytes {
			return s, &Error{Setting: "LEADLINE_SPOOL_BYTES", Problem: fmt.Sprintf("%q is not a number of bytes of at least %d.", raw, minSpoolBytes)}
		}
	}
	if s.PlainHTTP, err = boolean(getenv("LEADLINE_PLAIN_HTTP")); err != nil {
		return s, &Error{Setting: "LEADLINE_PLAIN_HTTP", Problem: err.Error()}
	}
	if raw := getenv("LEADLINE_LOG_LEVEL"); raw != "" {
		if err := s.LogLevel.UnmarshalText([]byte(raw)); err != nil {
			return s, &Error{Setting: "LEADLINE_LOG_LEVEL", Problem: fmt.Sprintf("%q is none of debug, info, warn, error.", raw)}
		}
	}
	return s, nil
}

// Secret reads the secret NAME, or the file that NAME_FILE names. found is
// false when neither is set. The value loses one trailing line end.
func Secret(getenv func(string) string, name string) (value string, found bool, err error) {
	value, file := getenv(name), getenv(name+"_FILE")
	switch {
	case value != "" && file != "":
		return "", false, &Error{Setting: name, Problem: "set either " + name + " or " + name + "_FILE, not both."}
	case file != "":
		value, err = SecretFile(name+"_FILE", file, false)
		return value, err == nil, err
	}
	return value, value != "", nil
}

// SecretFile reads a secret from a file that the named setting or flag gives.
// Where private is wanted, a regular file that every user of the machine can
// read is refused.
func SecretFile(setting, path string, private bool) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", &Error{Setting: setting, Problem: fileProblem(path, err), Unreadable: true}
	}
	if info.IsDir() {
		return "", &Error{Setting: setting, Problem: path + " is a directory."}
	}
	if private && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
		return "", &Error{Setting: setting, Problem: path + " can be read by every user of this machine: run chmod 600 " + path + "."}
	}
	data, err := os.ReadFile(path) //nolint:gosec // the person who runs the agent names this file
	if err != nil {
		return "", &Error{Setting: setting, Problem: fileProblem(path, err), Unreadable: true}
	}
	return TrimLine(string(data)), nil
}

// TrimLine cuts one line end from the end of a secret read from a file: an
// editor adds it, a password may end in a space.
func TrimLine(secret string) string {
	return strings.TrimSuffix(strings.TrimSuffix(secret, "\n"), "\r")
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func boolean(raw string) (bool, error) {
	switch raw {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, fmt.Errorf("%q is neither 0 nor 1", raw)
}

func readableFile(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("%q cannot be made an absolute path", path)
	}
	file, err := os.Open(absolute) //nolint:gosec // the person who runs the agent names this file
	if err != nil {
		return "", fmt.Errorf("%s", fileProblem(absolute, err))
	}
	return absolute, file.Close() //nolint:wrapcheck // closing a file opened for reading does not fail in a way a person could act on
}

func fileProblem(path string, err error) string {
	switch {
	case os.IsNotExist(err):
		return path + " does not exist."
	case os.IsPermission(err):
		return path + " cannot be read by this user."
	}
	return path + " cannot be read."
}
