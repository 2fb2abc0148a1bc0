package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	defaultInterval = 5 * time.Second
	shortestPass    = time.Second
	longestPass     = time.Hour
)

// Desired is what the server wants this agent to do.
type Desired struct {
	Generation int64              `json:"generation"`
	Node       NodeLabels         `json:"node"`
	Intervals  map[string]float64 `json:"intervals"` // seconds, by kind of target
	Services   []Service          `json:"services"`
}

// NodeLabels are the host's own.
type NodeLabels struct {
	Slug   string            `json:"slug"`
	Labels map[string]string `json:"labels"`
}

// Service is one database server to watch.
type Service struct {
	Slug            string            `json:"slug"`
	Name            string            `json:"name"`
	Engine          string            `json:"engine"`
	Address         string            `json:"address"`
	User            string            `json:"user"`
	Password        *string           `json:"password"` // nil: the one that this host keeps
	PasswordVersion int64             `json:"password_version"`
	TLS             string            `json:"tls"`
	Labels          map[string]string `json:"labels"`
	Epoch           int64             `json:"epoch"`
}

// ParseDesired reads a desired state.
func ParseDesired(data []byte) (Desired, error) {
	var d Desired
	if err := json.Unmarshal(data, &d); err != nil {
		// The cause may quote the document, which may hold a password.
		return Desired{}, errors.New("the desired state cannot be read")
	}
	seen := map[string]bool{}
	for _, service := range d.Services {
		if service.Slug == "" || seen[service.Slug] {
			return Desired{}, fmt.Errorf("the desired state names the service %q twice or not at all", service.Slug)
		}
		seen[service.Slug] = true
	}
	return d, nil
}

// Interval is the time between two passes over a kind of target ("host",
// "mysql"), in whole seconds; 5 s where the server names none.
func (d Desired) Interval(kind string) time.Duration {
	seconds, named := d.Intervals[kind]
	if !named || seconds <= 0 || seconds > longestPass.Seconds() {
		return defaultInterval
	}
	return max(time.Duration(seconds)*time.Second, shortestPass)
}

// Service finds a service by its slug.
func (d Desired) Service(slug string) (Service, bool) {
	for _, service := range d.Services {
		if service.Slug == slug {
			return service, true
		}
	}
	return Service{}, false
}
