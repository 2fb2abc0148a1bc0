package state

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotEnrolled is returned by Identity when the directory holds none.
var ErrNotEnrolled = errors.New("this agent is not enrolled")

// Identity is what enrolment gave to this agent.
type Identity struct {
	Server    string `json:"server"` // address without a trailing slash
	CAFile    string `json:"ca_file,omitempty"`
	AgentID   string `json:"agent_id"`
	Key       string `json:"key"` // a secret: it speaks for this agent until it is revoked
	Org       string `json:"org"`
	Node      string `json:"node"`
	MachineID string `json:"machine_id,omitempty"`
}

// Identity reads the identity; the error wraps ErrNotEnrolled when there is none.
func (d *Dir) Identity() (Identity, error) {
	var id Identity
	err := d.readJSON(d.Path("identity.json"), &id)
	if errors.Is(err, fs.ErrNotExist) {
		return id, fmt.Errorf("%w (%s)", ErrNotEnrolled, d.path)
	}
	if err == nil && (id.Server == "" || id.Key == "" || id.Node == "") {
		return id, fmt.Errorf("%s is damaged: server, key or node is missing", d.Path("identity.json"))
	}
	return id, err
}

// SaveIdentity stores the identity durably.
func (d *Dir) SaveIdentity(id Identity) error {
	return d.writeJSON(d.Path("identity.json"), id)
}

// Instance names one process of an agent to the server. The server gives a
// token to a successor at once and to a stranger not at all, so both names
// are on disk before they are used.
type Instance struct {
	ID        string `json:"instance"`
	Previous  string `json:"previous"` // the last one the server accepted, or empty
	Place     string `json:"place"`
	Confirmed bool   `json:"confirmed"` // the server has accepted ID
}

// NextInstance names this process, durably. A name that no answer ever
// confirmed is used again from the same place: the server may or may not know
// it, and as itself or as the successor of Previous it is let in either way.
func (d *Dir) NextInstance(place string) (Instance, error) {
	var last Instance
	err := d.readJSON(d.Path("instance"), &last)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return last, err
	}
	if err == nil && !last.Confirmed && last.ID != "" && last.Place == place {
		return last, nil
	}
	next := Instance{ID: NewUUID(), Previous: last.Previous, Place: place}
	if last.Confirmed {
		next.Previous = last.ID
	}
	return next, d.writeJSON(d.Path("instance"), next)
}

// ConfirmInstance records that the server has accepted the instance.
func (d *Dir) ConfirmInstance(i Instance) error {
	i.Confirmed = true
	return d.writeJSON(d.Path("instance"), i)
}

// Place tells two copies of a state directory apart: it is the SHA-256 of the
// host's boot id and the directory's device and inode, in hex.
func (d *Dir) Place(bootID string) (string, error) {
	info, err := os.Stat(d.path)
	if err != nil {
		return "", fmt.Errorf("the state directory %s cannot be read: %w", d.path, err)
	}
	var device, inode uint64
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		device, inode = stat.Dev, stat.Ino
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d\n", bootID, device, inode))
	return hex.EncodeToString(sum[:]), nil
}

// NewUUID gives a random UUID (version 4).
func NewUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
