package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tasker/internal/cli"
)

// The platforms that are released.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// release is a release being made, and where it goes.
type release struct {
	version string
	date    time.Time
	dir     string
	by      publisher

	programs map[string][]byte // by platform
	shared   []entry           // manual, completions, licence, readme: in every archive
	made     []string          // paths below dir
}

// entry is a file of an archive.
type entry struct {
	path    string
	content []byte
	mode    int64
}

// make makes everything for the given platforms, or for all if none is given.
func (r *release) make(only []string) error {
	chosen := platforms
	if len(only) > 0 {
		chosen = only
	}
	for _, p := range chosen {
		if !slices.Contains(platforms, p) {
			return fmt.Errorf("%q is not a released platform; there are %s", p, strings.Join(platforms, ", "))
		}
	}
	var err error
	if r.by, err = readPublisher(publisherFile); err != nil {
		return err
	}
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	if err := r.build(chosen); err != nil {
		return err
	}
	if err := r.gather(); err != nil {
		return err
	}
	steps := []func([]string) error{r.archives, r.debian, r.npm, r.homebrew, r.plugins, r.registry, r.bill, r.checksums}
	for _, step := range steps {
		if err := step(chosen); err != nil {
			return err
		}
	}
	return nil
}

// build builds the program for every platform: static, without paths of this machine, without a
// build id.
func (r *release) build(chosen []string) error {
	r.programs = map[string][]byte{}
	tmp, err := os.MkdirTemp("", "tasker-dist-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	for _, p := range chosen {
		goos, arch, _ := strings.Cut(p, "/")
		path := filepath.Join(tmp, "tasker")
		flags := "-s -w -buildid= -X tasker/internal/app.Version=" + r.version
		args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "tasker/cmd/tasker"}
		cmd := exec.CommandContext(context.Background(), "go", args...) //nolint:gosec // the version is the releaser's
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+goos, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building for %s: %w\n%s", p, err, out)
		}
		if r.programs[p], err = os.ReadFile(path); err != nil {
			return err
		}
	}
	return nil
}

// gather makes the files that are the same for all platforms.
func (r *release) gather() error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r.shared = append(r.shared, entry{name, text, 0o644})
	}
	for _, p := range cli.ManPages(r.version, r.date.Format(time.DateOnly)) {
		r.shared = append(r.shared, entry{"man/" + p.Name, []byte(p.Text), 0o644})
	}
	for shell, file := range map[string]string{"bash": "tasker.bash", "zsh": "_tasker", "fish": "tasker.fish", "powershell": "tasker.ps1"} {
		text, err := cli.Completion(shell)
		if err != nil {
			return err
		}
		r.shared = append(r.shared, entry{"completions/" + file, text, 0o644})
	}
	slices.SortFunc(r.shared, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return nil
}

// archives makes a tar.gz for each platform, or a zip for Windows.
func (r *release) archives(chosen []string) error {
	for _, p := range chosen {
		goos, arch, _ := strings.Cut(p, "/")
		top := fmt.Sprintf("tasker_%s_%s_%s", r.version, goos, arch)
		name := "tasker"
		if goos == "windows" {
			name += ".exe"
		}
		all := []entry{{top + "/" + name, r.programs[p], 0o755}}
		for _, e := range r.shared {
			all = append(all, entry{top + "/" + e.path, e.content, e.mode})
		}
		var b bytes.Buffer
		pack, ending := tarGz, ".tar.gz"
		if goos == "windows" {
			pack, ending = zipped, ".zip"
		}
		if err := pack(&b, all, r.date); err != nil {
			return err
		}
		if err := r.write(top+ending, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file of the release and remembers it for the checksums.
func (r *release) write(path string, content []byte) error {
	r.made = append(r.made, path)
	return write(filepath.Join(r.dir, filepath.FromSlash(path)), content)
}

// checksums writes the checksum of every file in the format of sha256sum.
func (r *release) checksums([]string) error {
	slices.Sort(r.made)
	var b strings.Builder
	for _, path := range r.made {
		sum, err := r.sum(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, path)
	}
	return write(filepath.Join(r.dir, "SHA256SUMS"), []byte(b.String()))
}

func (r *release) sum(path string) (string, error) {
	content, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(path)))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
