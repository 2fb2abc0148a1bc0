package host

// Reads /run/udev/data/bMAJOR:MINOR (what udev found out about a device; absent
// in containers and without udev) and /sys/block/NAME/queue/rotational.

import (
	"bytes"
	"cmp"
	"time"

	"leadline/agents/internal/model"
)

// diskInfoEvery is how long a device's description is kept: it changes only
// when the device is replaced under the same name.
const diskInfoEvery = 5 * time.Minute

// readInfo gives the labels of node_disk_info; what cannot be read is left out.
func (d *disks) readInfo(major, minor, name string) []model.Label {
	udev := map[string]string{}
	description := file{path: in(d.root, "run/udev/data/b"+major+":"+minor)}
	content, err := description.read()
	for err == nil && len(content) > 0 {
		var line []byte
		line, content = cutLine(content)
		if property, ok := bytes.CutPrefix(line, []byte("E:")); ok {
			key, value, _ := bytes.Cut(property, []byte("="))
			udev[string(key)] = validLabel(string(value))
		}
	}
	rotational := file{path: in(d.root, "sys/block/"+name+"/queue/rotational")}
	spins, err := rotational.read()
	if err != nil {
		spins = nil
	}
	// In this order: the one printed on the disk, the short one, virtio's.
	serial := cmp.Or(udev["SCSI_IDENT_SERIAL"], udev["ID_SERIAL_SHORT"], udev["ID_SERIAL"])
	return labelsOf("device", name, "major", major, "minor", minor,
		"path", udev["ID_PATH"], "wwn", udev["ID_WWN"], "model", udev["ID_MODEL"],
		"serial", serial, "revision", udev["ID_REVISION"],
		"rotational", string(bytes.TrimSpace(spins)))
}
