package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newDir(t *testing.T) *Dir {
	t.Helper()
	dir, err := Create(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCreateMakesAPrivateDirectory(t *testing.T) {
	dir := newDir(t)
	if mode := modeOf(t, dir.Path()); mode != 0o700 {
		t.Errorf("the directory is %o", mode)
	}
	if err := dir.SaveIdentity(Identity{Server: "https://x", Key: "lla_k", Node: "db1"}); err != nil {
		t.Fatal(err)
	}
	if err := dir.SaveService("demo", Service{Password: "pw"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"identity.json", "services/demo.json"} {
		if mode := modeOf(t, dir.Path(name)); mode != 0o600 {
			t.Errorf("%s is %o", name, mode)
		}
	}
	if mode := modeOf(t, dir.Path("services")); mode != 0o700 {
		t.Errorf("services is %o", mode)
	}
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestOpenRefusesWhatIsNoPrivateDirectory(t *testing.T) {
	base := t.TempDir()
	if _, err := Open(filepath.Join(base, "none")); !errors.Is(err, ErrMissing) {
		t.Errorf("missing: got %v", err)
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil {
		t.Error("a file was opened as a directory")
	}
	shared := filepath.Join(base, "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(shared); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("writable by all: got %v", err)
	}
}

func TestIdentitySurvives(t *testing.T) {
	dir := newDir(t)
	if _, err := dir.Identity(); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("empty: got %v", err)
	}
	want := Identity{Server: "https://x", CAFile: "/ca.pem", AgentID: "id", Key: "lla_k", Org: "org", Node: "db1", MachineID: "m"}
	if err := dir.SaveIdentity(want); err != nil {
		t.Fatal(err)
	}
	if got, err := dir.Identity(); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := os.WriteFile(dir.Path("identity.json"), []byte(`{"key":"lla_k"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Identity(); err == nil || errors.Is(err, ErrNotEnrolled) || strings.Contains(err.Error(), "lla_k") {
		t.Errorf("damaged: got %v", err)
	}
}

func TestALeftoverOfACrashIsReplaced(t *testing.T) {
	dir := newDir(t)
	if err := os.WriteFile(dir.Path("identity.json.tmp"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dir.SaveIdentity(Identity{Server: "https://x", Key: "k", Node: "n"}); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Identity(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir.Path("identity.json.tmp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary file is still there: %v", err)
	}
}

func TestLockHoldsOneAgent(t *testing.T) {
	dir := newDir(t)
	release, err := dir.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if running, err := dir.Running(); err != nil || !running {
		t.Errorf("while locked: got %v, %v", running, err)
	}
	if _, err := dir.Lock(t.Context()); !errors.Is(err, ErrRunning) {
		t.Errorf("a second lock: got %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if running, err := dir.Running(); err != nil || running {
		t.Errorf("after release: got %v, %v", running, err)
	}
	if release, err = dir.Lock(t.Context()); err != nil {
		t.Errorf("after release: %v", err)
	} else if err := release(); err != nil {
		t.Error(err)
	}
}

func TestInstancesFollowEachOther(t *testing.T) {
	dir := newDir(t)
	first, err := dir.NextInstance("here")
	if err != nil || first.ID == "" || first.Previous != "" {
		t.Fatalf("first: got %+v, %v", first, err)
	}
	again, err := dir.NextInstance("here")
	if err != nil || again != first {
		t.Errorf("a process whose name was never confirmed: got %+v, %v", again, err)
	}
	elsewhere, err := dir.NextInstance("elsewhere")
	if err != nil || elsewhere.ID == first.ID {
		t.Errorf("a copy in another place must not take the name: got %+v, %v", elsewhere, err)
	}
	if err := dir.ConfirmInstance(elsewhere); err != nil {
		t.Fatal(err)
	}
	next, err := dir.NextInstance("elsewhere")
	if err != nil || next.ID == elsewhere.ID || next.Previous != elsewhere.ID {
		t.Errorf("after a confirmed one: got %+v, %v", next, err)
	}
	moved, err := dir.NextInstance("after a reboot")
	if err != nil || moved.ID == next.ID || moved.Previous != elsewhere.ID {
		t.Errorf("unconfirmed, then moved: got %+v, %v", moved, err)
	}
}

func TestPlaceTellsCopiesApart(t *testing.T) {
	one, other := newDir(t), newDir(t)
	places := map[string]bool{}
	for _, c := range []struct {
		dir  *Dir
		boot string
	}{{one, "a"}, {one, "b"}, {other, "a"}} {
		place, err := c.dir.Place(c.boot)
		if err != nil || len(place) != 64 {
			t.Fatalf("got %q, %v", place, err)
		}
		places[place] = true
	}
	if len(places) != 3 {
		t.Errorf("%d different places of 3", len(places))
	}
	first, _ := one.Place("a")
	if second, _ := one.Place("a"); second != first {
		t.Error("the same place has two names")
	}
}

func TestServicesAreKeptAndForgotten(t *testing.T) {
	dir := newDir(t)
	if _, found, err := dir.Service("demo"); found || err != nil {
		t.Errorf("none yet: got %v, %v", found, err)
	}
	want := Service{Password: "p\"w", PasswordFile: "/run/pw"}
	for _, slug := range []string{"demo", "alpha"} {
		if err := dir.SaveService(slug, want); err != nil {
			t.Fatal(err)
		}
	}
	if got, found, err := dir.Service("demo"); got != want || !found || err != nil {
		t.Errorf("got %+v, %v, %v", got, found, err)
	}
	for range 2 { // forgetting twice is forgetting
		if err := dir.RemoveService("demo"); err != nil {
			t.Error(err)
		}
	}
	if _, found, err := dir.Service("demo"); found || err != nil {
		t.Errorf("removed: got %v, %v", found, err)
	}
}

func TestDesiredAndStatusSurvive(t *testing.T) {
	dir := newDir(t)
	if raw, err := dir.Desired(); raw != nil || err != nil {
		t.Errorf("none yet: got %q, %v", raw, err)
	}
	if err := dir.SaveDesired([]byte(`{"generation":1}`)); err != nil {
		t.Fatal(err)
	}
	if raw, err := dir.Desired(); string(raw) != `{"generation":1}` || err != nil {
		t.Errorf("got %q, %v", raw, err)
	}
	if _, found, err := dir.Status(); found || err != nil {
		t.Errorf("none yet: got %v, %v", found, err)
	}
	if err := dir.SaveStatus(Status{PID: 7, Services: []ServiceStatus{{Slug: "demo", State: "up"}}}); err != nil {
		t.Fatal(err)
	}
	if got, found, err := dir.Status(); !found || err != nil || got.PID != 7 || got.Services[0].Slug != "demo" {
		t.Errorf("got %+v, %v, %v", got, found, err)
	}
}
