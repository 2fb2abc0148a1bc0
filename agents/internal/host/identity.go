package host

import (
	"fmt"
	"runtime"
	"strings"
)

// Machine is what tells this machine and this boot of it from others.
type Machine struct {
	Hostname  string
	MachineID string // empty where the machine has none, as in some containers
	BootID    string // changes at every boot
	OS, Arch  string // as Go names them
}

// Identity reads the machine's identity from the file tree at root. It fails
// only where there is no host name or boot id, which every Linux has.
func Identity(root string) (Machine, error) {
	hostname, err := word(root, "proc/sys/kernel/hostname")
	if err != nil {
		return Machine{}, fmt.Errorf("host name: %w", err)
	}
	boot, err := word(root, "proc/sys/kernel/random/boot_id")
	if err != nil {
		return Machine{}, fmt.Errorf("boot id: %w", err)
	}
	return Machine{
		Hostname:  hostname,
		MachineID: machineID(root),
		BootID:    boot,
		OS:        runtime.GOOS,
		Arch:      runtime.GOARCH,
	}, nil
}

// machineID is systemd's, else D-Bus's, else the firmware's (root only). A
// machine image not yet booted says "uninitialized" in place of an id.
func machineID(root string) string {
	for _, path := range []string{"etc/machine-id", "var/lib/dbus/machine-id", "sys/class/dmi/id/product_uuid"} {
		if id, err := word(root, path); err == nil && id != "" && id != "uninitialized" {
			return strings.ToLower(id)
		}
	}
	return ""
}

func word(root, path string) (string, error) {
	f := file{path: in(root, path)}
	content, err := f.read()
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(content)), nil
}
