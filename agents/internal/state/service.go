package state

import (
	"errors"
	"io/fs"
	"os"
)

// Service is what only this host knows of a service: how to sign in. It never
// leaves the host.
type Service struct {
	Password string `json:"password"`
	// PasswordFile is the file the password was read from, or empty. It is read
	// again at each new connection, so that a rotation needs no command.
	PasswordFile string `json:"password_file,omitempty"`
}

const serviceFolder = "services"

// Service reads what is kept for a service; found is false when nothing is.
func (d *Dir) Service(slug string) (s Service, found bool, err error) {
	err = d.readJSON(d.Path(serviceFolder, slug+".json"), &s)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	return s, err == nil, err
}

// SaveService stores what is kept for a service, durably.
func (d *Dir) SaveService(slug string, s Service) error {
	if _, err := d.Folder(serviceFolder); err != nil {
		return err
	}
	return d.writeJSON(d.Path(serviceFolder, slug+".json"), s)
}

// RemoveService forgets what is kept for a service.
func (d *Dir) RemoveService(slug string) error {
	return d.remove(d.Path(serviceFolder, slug+".json"))
}

// Desired reads the last desired state the server gave, as it came; nil when
// there is none. With it an agent that starts while the server is away goes on
// watching.
func (d *Dir) Desired() ([]byte, error) {
	data, err := os.ReadFile(d.Path("desired.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err //nolint:wrapcheck // os names the file
}

// SaveDesired stores the desired state, durably. It may hold passwords.
func (d *Dir) SaveDesired(data []byte) error {
	return d.write(d.Path("desired.json"), data)
}
