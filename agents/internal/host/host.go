// Package host reads the machine the agent runs on, from /proc, /sys and
// statfs(2), and reports under node_exporter's names and labels. It starts no
// process, needs no privilege and writes nothing.
package host

import (
	"path/filepath"

	"leadline/agents/internal/model"
)

// Collectors returns the readers of the machine whose file tree begins at
// root: "/" in production, the mount point of the host's tree in a container,
// a fixture tree in a test.
func Collectors(root string) []model.Collector {
	return []model.Collector{
		newCPU(root),
		newMemory(root),
		newDisks(root),
		newFilesystems(root),
		newNetwork(root),
		newLoad(root),
		newClock(),
		newUname(),
	}
}

// in is the path of one file of the tree, given from its root.
func in(root, path string) string { return filepath.Join(root, path) }
