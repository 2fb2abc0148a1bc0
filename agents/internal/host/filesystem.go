package host

// Reads /proc/1/mountinfo (the agent's own /proc/self/mountinfo where the first
// process is hidden) and asks statfs(2) for each mount. Kinds and places that
// hold no data are left out by node_exporter's default patterns.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"leadline/agents/internal/model"
)

// statfsPatience is how long a pass waits for all mounts together. statfs of a
// dead NFS server cannot be interrupted: its mount is reported as an error and
// not asked again until the pending call has come back.
const statfsPatience = 2 * time.Second

const hungMount = "mountpoint timeout"

var (
	mountExcluded = regexp.MustCompile(`^/(dev|proc|run/credentials/.+|sys|var/lib/docker/.+|var/lib/containers/storage/.+)($|/)`)
	kindExcluded  = regexp.MustCompile(`^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|hugetlbfs|iso9660|mqueue|nsfs|overlay|proc|procfs|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|erofs|sysfs|tracefs)$`)
)

// usage is one answer of statfs.
type usage struct {
	size, free, avail float64
	files, filesFree  float64
	err               error
}

// filesystem is one mounted filesystem and the one call that may be under way.
type filesystem struct {
	mount
	labels  []model.Label
	pending bool       // a call is under way; only the pass itself touches this
	answer  chan usage // room for that call's answer, so that it never waits
}

type filesystems struct {
	root     string
	mounts   mountTable
	statfs   func(path string) usage
	patience time.Duration
	known    map[mount]*filesystem
}

var _ model.Collector = (*filesystems)(nil)

func newFilesystems(root string) *filesystems {
	return &filesystems{
		root:     root,
		mounts:   newMountTable(root),
		statfs:   statfs,
		patience: statfsPatience,
		known:    make(map[mount]*filesystem),
	}
}

// Name is "filesystem".
func (f *filesystems) Name() string { return "filesystem" }

// Collect emits node_filesystem_*; a mount that gives no answer has only
// node_filesystem_device_error 1.
func (f *filesystems) Collect(ctx context.Context, emit model.Emit) error {
	mounts, err := f.mounts.read()
	if err != nil {
		return fmt.Errorf("filesystems: %w", err)
	}
	f.forgetUnmounted(mounts)
	ctx, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	asked := make([]*filesystem, 0, len(mounts))
	for _, m := range mounts {
		if fs := f.filesystem(m); f.ask(fs) {
			asked = append(asked, fs)
		} else {
			emitError(fs, hungMount, emit)
		}
	}
	for _, fs := range asked {
		if got, ok := fs.wait(ctx); ok {
			emitUsage(fs, got, emit)
		} else {
			emitError(fs, hungMount, emit)
		}
	}
	return nil
}

func (f *filesystems) filesystem(m mount) *filesystem {
	fs := f.known[m]
	if fs == nil {
		fs = &filesystem{
			mount:  m,
			labels: labelsOf("device", m.device, "mountpoint", m.point, "fstype", m.kind),
			answer: make(chan usage, 1),
		}
		f.known[m] = fs
	}
	return fs
}

// ask starts statfs, unless the call of an earlier pass still hangs.
func (f *filesystems) ask(fs *filesystem) bool {
	if fs.pending {
		select {
		case <-fs.answer: // too late for the pass that asked, and old by now
		default:
			return false
		}
	}
	fs.pending = true
	path := filepath.Join(f.root, fs.path)
	go func() { fs.answer <- f.statfs(path) }()
	return true
}

// wait returns the answer, or false when ctx ends first.
func (fs *filesystem) wait(ctx context.Context) (usage, bool) {
	select {
	case got := <-fs.answer:
		fs.pending = false
		return got, true
	case <-ctx.Done():
	}
	select { // both were ready
	case got := <-fs.answer:
		fs.pending = false
		return got, true
	default:
		return usage{}, false
	}
}

// forgetUnmounted drops what is no longer in the table. A hung call keeps its
// own memory until it returns.
func (f *filesystems) forgetUnmounted(mounts []mount) {
	if len(f.known) <= len(mounts) {
		return
	}
	now := make(map[mount]bool, len(mounts))
	for _, m := range mounts {
		now[m] = true
	}
	for m := range f.known {
		if !now[m] {
			delete(f.known, m)
		}
	}
}

func emitUsage(fs *filesystem, got usage, emit model.Emit) {
	if got.err != nil {
		emitError(fs, got.err.Error(), emit)
		return
	}
	readonly := 0.0
	if fs.readonly {
		readonly = 1
	}
	emit("node_filesystem_size_bytes", got.size, fs.labels...)
	emit("node_filesystem_free_bytes", got.free, fs.labels...)
	emit("node_filesystem_avail_bytes", got.avail, fs.labels...)
	emit("node_filesystem_files", got.files, fs.labels...)
	emit("node_filesystem_files_free", got.filesFree, fs.labels...)
	emit("node_filesystem_readonly", readonly, fs.labels...)
	emit("node_filesystem_device_error", 0, fs.labels...)
}

func emitError(fs *filesystem, reason string, emit model.Emit) {
	emit("node_filesystem_device_error", 1,
		append(fs.labels[:len(fs.labels):len(fs.labels)], model.Label{Name: "device_error", Value: reason})...)
}

// statfs asks the kernel, again where a signal interrupted it.
func statfs(path string) usage {
	var buf syscall.Statfs_t
	err := syscall.Statfs(path, &buf)
	for errors.Is(err, syscall.EINTR) {
		err = syscall.Statfs(path, &buf)
	}
	if err != nil {
		return usage{err: err}
	}
	block := float64(buf.Bsize)
	return usage{
		size:      float64(buf.Blocks) * block,
		free:      float64(buf.Bfree) * block,
		avail:     float64(buf.Bavail) * block,
		files:     float64(buf.Files),
		filesFree: float64(buf.Ffree),
	}
}
