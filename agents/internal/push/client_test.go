package push

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newClient(t *testing.T, server, caFile string) *Client {
	t.Helper()
	c, err := NewClient(server, "lla_key", "1.2.3", caFile)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryRequestCarriesTheHeaders(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := map[string]string{
			"Authorization": "Bearer lla_key", "Leadline-Protocol": "1", "Leadline-Agent": "1.2.3", "User-Agent": "leadline-agent/1.2.3",
		}
		for name, value := range want {
			if got := r.Header.Get(name); got != value {
				t.Errorf("%s: %q", name, got)
			}
		}
		body, _ := io.ReadAll(r.Body)
		if string(body) != `{"a":1}` {
			t.Errorf("body %q", body)
		}
		_, _ = io.WriteString(w, `{"b":2,"unknown":true}`)
	}))
	defer server.Close()
	var answer struct {
		B int `json:"b"`
	}
	err := newClient(t, server.URL, "").JSON(t.Context(), http.MethodPost, "/x", map[string]int{"a": 1}, &answer)
	if err != nil || answer.B != 2 {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestAProblemBecomesARefusal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"code": "invalid", "title": "Invalid", "errors": []map[string]string{{"field": "slug", "message": "Too\nlong."}},
		})
	}))
	defer server.Close()
	err := newClient(t, server.URL, "").JSON(t.Context(), http.MethodGet, "/x", nil, nil)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Status != 400 || refusal.Code != "invalid" || refusal.Temporary() {
		t.Fatalf("got %#v", err)
	}
	if !strings.Contains(err.Error(), "slug: Too long.") {
		t.Errorf("got %q", err)
	}
}

func TestOtherAnswersAreNoLeadline(t *testing.T) {
	for body, status := range map[string]int{"<html>a proxy</html>": 200, "<html>bad gateway</html>": 502} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		var answer map[string]any
		err := newClient(t, server.URL, "").JSON(t.Context(), http.MethodGet, "/x", nil, &answer)
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Status != status {
			t.Errorf("%d: got %#v", status, err)
		}
		server.Close()
	}
}

func TestUnreachableNamesServerAndCause(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	server.Close()
	err := newClient(t, address, "").JSON(t.Context(), http.MethodGet, "/x", nil, nil)
	var unreachable *Unreachable
	if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), address) || !strings.Contains(err.Error(), "nothing listens there") {
		t.Errorf("got %v", err)
	}
}

func TestAPrivateAuthorityIsTrustedWhenNamed(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the first client turns away, loudly
	server.StartTLS()
	defer server.Close()
	err := newClient(t, server.URL, "").JSON(t.Context(), http.MethodGet, "/x", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "LEADLINE_CA_FILE") {
		t.Errorf("not trusted: got %v", err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newClient(t, server.URL, file).JSON(t.Context(), http.MethodGet, "/x", nil, nil); err != nil {
		t.Errorf("trusted: got %v", err)
	}
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewClient(server.URL, "", "1", file); err == nil || !strings.Contains(err.Error(), "LEADLINE_CA_FILE") {
		t.Errorf("a file without a certificate: got %v", err)
	}
}
