package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"text/template"
)

// formula is the data of the Homebrew formula's template.
type formula struct {
	Version, Home, Base string
	Systems             []system
}

type system struct {
	Name     string
	Archives []archive
}

type archive struct{ Arch, File, Sum string }

// homebrew writes the formula: the archives for macOS and Linux at DIST_URL, with their checksums.
func (r *release) homebrew(chosen []string) error {
	text, err := os.ReadFile("packaging/homebrew/tasker.rb.tmpl")
	if err != nil {
		return err
	}
	tmpl, err := template.New("formula").Parse(string(text))
	if err != nil {
		return err
	}
	f := formula{Version: r.version, Home: r.by.Home, Base: cmp.Or(os.Getenv("DIST_URL"), r.by.Home)}
	for _, goos := range []string{"darwin", "linux"} {
		s := system{Name: goos}
		if goos == "darwin" {
			s.Name = "macos"
		}
		for _, arch := range []string{"amd64", "arm64"} {
			if !slices.Contains(chosen, goos+"/"+arch) {
				continue
			}
			a := archive{Arch: "arm", File: fmt.Sprintf("tasker_%s_%s_%s.tar.gz", r.version, goos, arch)}
			if arch == "amd64" {
				a.Arch = "intel"
			}
			if a.Sum, err = r.sum(a.File); err != nil {
				return err
			}
			s.Archives = append(s.Archives, a)
		}
		if len(s.Archives) > 0 {
			f.Systems = append(f.Systems, s)
		}
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, f); err != nil {
		return err
	}
	return r.write("homebrew/tasker.rb", b.Bytes())
}
