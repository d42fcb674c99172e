package main

import (
	"bytes"
	"crypto/md5" //nolint:gosec // what dpkg compares files with
	"fmt"
	"os"
	"strings"
)

// debian makes a package for each Linux platform: the program, the manual, completions, and the
// unit of the service, which is installed but not started.
func (r *release) debian(chosen []string) error {
	unit, err := os.ReadFile("packaging/systemd/tasker.service")
	if err != nil {
		return err
	}
	for _, p := range chosen {
		arch, ok := strings.CutPrefix(p, "linux/")
		if !ok {
			continue
		}
		files, err := r.debianFiles(r.programs[p], unit)
		if err != nil {
			return err
		}
		var data, control bytes.Buffer
		if err := tarGz(&data, files, r.date); err != nil {
			return err
		}
		if err := tarGz(&control, r.debianControl(arch, files), r.date); err != nil {
			return err
		}
		deb := archived([]entry{
			{"debian-binary", []byte("2.0\n"), 0o644}, {"control.tar.gz", control.Bytes(), 0o644}, {"data.tar.gz", data.Bytes(), 0o644},
		}, r.date)
		if err := r.write(fmt.Sprintf("tasker_%s_%s.deb", r.version, arch), deb); err != nil {
			return err
		}
	}
	return nil
}

// debianFiles returns the files of the package, below its root.
func (r *release) debianFiles(program, unit []byte) ([]entry, error) {
	files := []entry{{"./usr/bin/tasker", program, 0o755}, {"./usr/lib/systemd/system/tasker.service", unit, 0o644}}
	places := map[string]string{
		"completions/tasker.bash": "./usr/share/bash-completion/completions/tasker",
		"completions/_tasker":     "./usr/share/zsh/vendor-completions/_tasker",
		"completions/tasker.fish": "./usr/share/fish/vendor_completions.d/tasker.fish",
		"LICENSE":                 "./usr/share/doc/tasker/copyright",
		"CHANGELOG.md":            "./usr/share/doc/tasker/changelog.gz",
	}
	for _, e := range r.shared {
		at := places[e.path]
		if name, ok := strings.CutPrefix(e.path, "man/"); ok {
			at = "./usr/share/man/man1/" + name + ".gz"
		}
		if at == "" {
			continue
		}
		content := e.content
		if strings.HasSuffix(at, ".gz") {
			var err error
			if content, err = gzipped(content); err != nil {
				return nil, err
			}
		}
		files = append(files, entry{at, content, e.mode})
	}
	return files, nil
}

// debianControl returns the control files of the package.
func (r *release) debianControl(arch string, files []entry) []entry {
	size := 0
	var sums strings.Builder
	for _, f := range files {
		size += len(f.content)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.content), strings.TrimPrefix(f.path, "./")) //nolint:gosec // what dpkg compares files with
	}
	control := fmt.Sprintf(`Package: tasker
Version: %s
Architecture: %s
Maintainer: %s
Homepage: %s
Installed-Size: %d
Section: devel
Priority: optional
Suggests: git, postgresql
Description: task tracker for coding agents and the people who work with them
 A plan goes in as one document; work becomes ready when what it waits for is
 closed; each request for the next task gets one that nobody else gets; and a
 task is done when its criteria are ticked, its evidence is there and the
 people who must approve have approved.
`, r.version, arch, r.by.Maintainer, r.by.Home, (size+1023)/1024)
	return []entry{{"./control", []byte(control), 0o644}, {"./md5sums", []byte(sums.String()), 0o644}}
}
