package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"
)

// npmName is the package that starts the program.
const npmName = "tasker"

// node returns Node's names for a platform.
func node(platform string) (goos, arch string) {
	goos, arch, _ = strings.Cut(platform, "/")
	if goos == "windows" {
		goos = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	return goos, arch
}

// npm makes one package per platform with the program in it, and one that starts it. The latter
// depends on all of the others optionally, so that npm installs the one that fits.
func (r *release) npm(chosen []string) error {
	start, err := os.ReadFile("packaging/npm/tasker.js")
	if err != nil {
		return err
	}
	common := map[string]any{
		"version": r.version, "license": "Apache-2.0", "description": about, "homepage": r.by.Home,
	}
	fits := map[string]string{}
	for _, p := range platforms {
		goos, arch := node(p)
		fits["@tasker/"+goos+"-"+arch] = r.version
	}
	for _, p := range chosen {
		goos, arch := node(p)
		name := "tasker"
		if goos == "win32" {
			name = "tasker.exe"
		}
		pkg := with(common, map[string]any{"name": "@tasker/" + goos + "-" + arch, "os": []string{goos}, "cpu": []string{arch}})
		file := fmt.Sprintf("npm/tasker-%s-%s-%s.tgz", goos, arch, r.version)
		if err := r.npmPackage(file, pkg, entry{"bin/" + name, r.programs[p], 0o755}); err != nil {
			return err
		}
	}
	name, err := r.by.mcpName()
	if err != nil {
		return err
	}
	pkg := with(common, map[string]any{
		"name": npmName, "mcpName": name, "bin": map[string]string{"tasker": "bin/tasker.js"}, "optionalDependencies": fits, "engines": map[string]string{"node": ">=18"},
	})
	return r.npmPackage("npm/tasker-"+r.version+".tgz", pkg, entry{"bin/tasker.js", start, 0o755})
}

func with(a, b map[string]any) map[string]any {
	out := map[string]any{}
	for _, m := range []map[string]any{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// npmPackage writes a package as npm packs one: everything below package/.
func (r *release) npmPackage(file string, pkg map[string]any, program entry) error {
	text, err := json.MarshalIndent(pkg, "", "  ") // sorts the keys
	if err != nil {
		return err
	}
	all := []entry{{"package/package.json", append(text, '\n'), 0o644}, {path.Join("package", program.path), program.content, program.mode}}
	for _, e := range r.shared {
		if e.path == "LICENSE" || e.path == "README.md" {
			all = append(all, entry{"package/" + e.path, e.content, e.mode})
		}
	}
	var b bytes.Buffer
	if err := tarGz(&b, all, r.date); err != nil {
		return err
	}
	return r.write(file, b.Bytes())
}
