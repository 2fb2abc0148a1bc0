package spool

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"
)

const killFolder = "LEADLINE_TEST_SPOOL"

// TestMain lets the test binary be the process that gets killed: it stores
// passes for ever and tells each stamp once Append has returned.
func TestMain(m *testing.M) {
	folder := os.Getenv(killFolder)
	if folder == "" {
		os.Exit(m.Run())
	}
	s, err := Open(Options{Dir: folder, MaxBytes: 64 << 20})
	if err != nil {
		os.Exit(1)
	}
	for stamp := s.LastStamp() + 1; ; stamp++ {
		s.Append(record(stamp))
		fmt.Fprintln(os.Stdout, stamp)
		if stamp%7 == 0 {
			if d, ok := s.Take(Live); ok {
				d.Acknowledge()
			}
		}
	}
}

func TestNoPassIsLostWhenTheProcessIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	folder := t.TempDir()
	var told []int64
	for round := range 8 {
		told = append(told, runUntilKilled(t, folder, 20+13*round)...)
	}
	s := open(t, Options{Dir: folder})
	found := drain(t, s, Backlog)
	slices.Sort(found)
	for _, stamp := range told {
		if _, there := slices.BinarySearch(found, stamp); !there {
			t.Errorf("the pass %d was stored and is gone", stamp)
		}
	}
	if len(told) < 8*20 {
		t.Errorf("only %d passes were stored", len(told))
	}
}

// runUntilKilled starts a process, kills it with SIGKILL once it has told of
// so many stamps, and gives all it told.
func runUntilKilled(t *testing.T, folder string, stampsToWaitFor int) []int64 {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), killFolder+"="+folder)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(20*time.Second, func() { _ = child.Process.Kill() })
	defer stuck.Stop()
	var told []int64
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		stamp, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			break // the kill cut the line
		}
		told = append(told, stamp)
		if len(told) == stampsToWaitFor {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait()
	return told
}
