package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/agents/internal/push"
)

// The backend's tests read the same files, so both sides of the wire are held
// to them.
var update = flag.Bool("update", false, "write testdata/payloads anew")

// golden compares a request body with its file.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	path := filepath.Join("..", "..", "testdata", "payloads", name)
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("%s differs from what is sent; if that is meant, run go test ./internal/control -update\ngot %s", name, pretty.Bytes())
	}
}

// server answers one route and hands on what it was sent.
type server struct {
	*httptest.Server
	method, path string
	body         []byte
}

func answering(t *testing.T, status int, contentType, answer string) (*server, *push.Client) {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.method, s.path = r.Method, r.URL.Path
		s.body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	client, err := push.NewClient(s.URL, "lla_key", "0.1.0", "")
	if err != nil {
		t.Fatal(err)
	}
	return s, client
}

func (s *server) expect(t *testing.T, method, path string) {
	t.Helper()
	if s.method != method || s.path != path {
		t.Errorf("%s %s was called", s.method, s.path)
	}
}

const (
	instance = "0b54b1c6-3a5e-4f0e-9d6a-1f2e3d4c5b6a"
	previous = "7d1c9a40-52e3-4b77-8a6f-9e8d7c6b5a49"
	place    = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

func TestEnrol(t *testing.T) {
	s, client := answering(t, 201, "application/json", `{"agent_id":"a","key":"lla_k","org":"o","node":"db1"}`)
	got, err := Enrol(t.Context(), client, EnrolRequest{
		Token:    "lle_token",
		Node:     Node{Slug: "db1", Hostname: "db1.example.org", MachineID: "4c4c4544004d3510", OS: "linux", Arch: "amd64"},
		Instance: instance, Place: place,
	})
	if err != nil || got != (Enrolled{"a", "lla_k", "o", "db1"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	s.expect(t, "POST", "/api/agent/v1/enrol")
	golden(t, "enrol.json", s.body)
}

func TestToken(t *testing.T) {
	s, client := answering(t, 200, "application/json", `{"token":"jwt","expires_in":600,"server_time":1790000000.123,"store_boot_id":null,"generation":12}`)
	before := previous
	got, err := Token(t.Context(), client, TokenRequest{Instance: instance, Previous: &before, Place: place})
	if err != nil || got.Token != "jwt" || got.ExpiresIn != 600 || got.Generation != 12 || got.StoreBootID != "" || got.ServerTime != 1790000000.123 {
		t.Errorf("got %+v, %v", got, err)
	}
	s.expect(t, "POST", "/api/agent/v1/token")
	golden(t, "token.json", s.body)
	if _, err := Token(t.Context(), client, TokenRequest{Instance: instance, Place: place}); err != nil {
		t.Error(err)
	}
	golden(t, "token_first.json", s.body)
}

func TestReport(t *testing.T) {
	s, client := answering(t, 200, "application/json", `{"generation":13,"store_boot_id":"boot"}`)
	offset, code, sentence := 0.012, "denied", `User "leadline" was refused by the database at 127.0.0.1:3306: correct the password, create the account for this host.`
	grant, lacks := "grant", "'leadline'@'%' lacks PROCESS on the database at 127.0.0.1:3307: run GRANT PROCESS ON *.* TO 'leadline'@'%';"
	got, err := Report(t.Context(), client, StatusReport{
		Instance: instance, Generation: 12, StartedAt: 1790000000.5, ClockOffset: &offset,
		Spool: SpoolReport{Bytes: 8192, Segments: 2, OldestAgeSeconds: 7.5, DroppedSamples: 3},
		Services: []ServiceReport{
			{Slug: "demo", State: "up", Engine: "mariadb", Version: "10.11.11-MariaDB"},
			{Slug: "orders", State: "down", Code: &code, Error: &sentence, Engine: "mysql"},
			{Slug: "stock", State: "up", Code: &grant, Error: &lacks, Engine: "mysql", Version: "9.7.4"},
		},
	})
	if err != nil || got != (StatusAnswer{13, "boot"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	s.expect(t, "POST", "/api/agent/v1/status")
	golden(t, "status.json", s.body)
	if _, err := Report(t.Context(), client, StatusReport{Instance: instance, StartedAt: 1790000000.5, Services: []ServiceReport{}}); err != nil {
		t.Error(err)
	}
	golden(t, "status_first.json", s.body)
}

func TestRegisterAndRemoveService(t *testing.T) {
	s, client := answering(t, 201, "application/json", `{"slug":"demo","engine":"mariadb","password":null,"password_version":1,"epoch":1}`)
	got, err := RegisterService(t.Context(), client, ServiceRequest{
		Slug: "demo", Name: "demo", Engine: "mariadb", Address: "127.0.0.1:3306", User: "leadline", TLS: "preferred",
		Labels: map[string]string{"cluster": "orders", "environment": "production", "replication_set": "orders-a"},
	})
	if err != nil || got.Slug != "demo" || got.Password != nil || got.PasswordVersion != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	s.expect(t, "POST", "/api/agent/v1/services")
	golden(t, "services.json", s.body)

	s, client = answering(t, 204, "", "")
	if err := RemoveService(t.Context(), client, "demo"); err != nil {
		t.Error(err)
	}
	s.expect(t, "DELETE", "/api/agent/v1/services/demo")
}

func TestAnswersThatMakeNoSenseAreRefused(t *testing.T) {
	_, client := answering(t, 200, "application/json", `{}`)
	_, err := Enrol(t.Context(), client, EnrolRequest{})
	var problem *Problem
	if !errors.As(err, &problem) || !problem.Unreachable() {
		t.Errorf("an identity without a key: got %v", err)
	}
	_, client = answering(t, 200, "application/json", `{"services":[{"slug":"a"},{"slug":"a","password":"hunter2"}]}`)
	if _, _, err := FetchDesired(t.Context(), client); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a service twice: got %v", err)
	}
}

func TestProblemsAreOneSentence(t *testing.T) {
	for _, c := range []struct {
		status       int
		answer, want string
		code         string
		unreachable  bool
	}{
		{401, `{"code":"enrolment_token_unknown","detail":"The enrolment token is unknown: make a new one."}`, "The enrolment token is unknown: make a new one.", "enrolment_token_unknown", false},
		{401, `{"code":"agent_revoked","detail":"x"}`, advice[CodeRevoked], CodeRevoked, false},
		{409, `{"code":"second_instance","detail":"x"}`, advice[CodeSecondInstance], CodeSecondInstance, false},
		{426, `{"code":"protocol_unsupported"}`, advice["protocol_unsupported"], "protocol_unsupported", false},
		{400, `{"code":"invalid","detail":"x","errors":[{"field":"slug","message":"Use letters."}]}`, "The Leadline server refused the request: slug: Use letters.", "invalid", false},
		{503, `{}`, "The Leadline server answered 503 Service Unavailable.", "", true},
		{200, `no json`, advice[push.NotLeadline], push.NotLeadline, true},
	} {
		_, client := answering(t, c.status, "application/problem+json", c.answer)
		_, err := RegisterService(t.Context(), client, ServiceRequest{})
		var problem *Problem
		if !errors.As(err, &problem) {
			t.Errorf("%d: got %#v", c.status, err)
			continue
		}
		if problem.Sentence != c.want || CodeOf(err) != c.code || problem.Unreachable() != c.unreachable {
			t.Errorf("%d: got %q, %q, %v", c.status, problem.Sentence, problem.Code, problem.Unreachable())
		}
	}
	s, client := answering(t, 200, "", "")
	s.Close()
	err := RemoveService(t.Context(), client, "x")
	var problem *Problem
	if !errors.As(err, &problem) || !problem.Unreachable() || !strings.HasPrefix(problem.Sentence, "The Leadline server at "+s.URL+" cannot be reached") {
		t.Errorf("got %v", err)
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{"": "", "it failed": "It failed.", "Done.": "Done.", "écrit": "Écrit.", " cut… ": "Cut…", "run GRANT X;": "Run GRANT X;"} {
		if got := Sentence(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
