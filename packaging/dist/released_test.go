package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// released makes the release for this machine's platform, in the root of the source tree, and returns the directory.
func released(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dist")
	if err := run([]string{"all", "1.2.3", dir, runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func text(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Each package holds the program of the release, which runs, and the files that belong to it.
func TestWhatIsReleasedRuns(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	t.Setenv("DIST_URL", "https://releases.example.com/tasker")
	if os.Getenv("TASKER_TEST_LONG") == "" { // compressing them as usual takes longer than making them
		t.Setenv("DIST_LEVEL", "1")
	}
	dir := released(t)
	sums := text(t, dir, "SHA256SUMS")
	output(t, dir, "sha256sum", "--check", "--strict", "SHA256SUMS")
	if os.Getenv("TASKER_TEST_LONG") != "" {
		if again := text(t, released(t), "SHA256SUMS"); again != sums {
			t.Errorf("the same commit gives other bytes:\n%s\n%s", sums, again)
		}
		installDebian(t, filepath.Join(dir, "tasker_1.2.3_"+runtime.GOARCH+".deb"))
		installNode(t, dir, strings.NewReplacer("amd64", "x64", "_", "-").Replace(runtime.GOOS+"_"+runtime.GOARCH))
	}
	platform := runtime.GOOS + "_" + runtime.GOARCH
	var found []string
	for line := range strings.Lines(sums) {
		found = append(found, strings.TrimSpace(line[66:]))
	}
	node := strings.NewReplacer("amd64", "x64", "_", "-").Replace(platform)
	want := []string{
		"homebrew/tasker.rb", "npm/tasker-1.2.3.tgz", "npm/tasker-" + node + "-1.2.3.tgz", "server.json", "tasker_1.2.3.cdx.json",
		"tasker_1.2.3_" + runtime.GOARCH + ".deb", "tasker_1.2.3_" + platform + ".tar.gz",
	}
	want = append(want, pluginFiles...)
	slices.Sort(want)
	if strings.Join(found, " ") != strings.Join(want, " ") {
		t.Errorf("%q is released, want %q", found, want)
	}

	at := typeThePage(t, dir)
	top := filepath.Join(at, "tasker_1.2.3_"+platform)
	if out := output(t, top, "./tasker", "version"); !strings.Contains(out, "1.2.3") {
		t.Errorf("tasker version says %s", out)
	}
	extras := []string{"LICENSE", "README.md", "CHANGELOG.md", "man/tasker-next.1", "completions/_tasker", "completions/tasker.bash", "completions/tasker.fish"}
	for _, file := range extras {
		if text(t, top, file) == "" {
			t.Errorf("%s is empty", file)
		}
	}
	checkDebian(t, filepath.Join(dir, "tasker_1.2.3_"+runtime.GOARCH+".deb"), filepath.Join(at, "unpacked"), filepath.Join(top, "tasker"))
	checkNode(t, at, node)
	checkBill(t, filepath.Join(dir, "tasker_1.2.3.cdx.json"), filepath.Join(top, "tasker"))

	formula := text(t, dir, "homebrew", "tasker.rb")
	sum, _, _ := strings.Cut(sums[strings.LastIndex(sums[:strings.Index(sums, "tasker_1.2.3_"+platform+".tar.gz")], "\n")+1:], " ")
	for _, want := range []string{`url "https://releases.example.com/tasker/tasker_1.2.3_` + platform + `.tar.gz"`, `sha256 "` + sum + `"`, `version "1.2.3"`} {
		if !strings.Contains(formula, want) {
			t.Errorf("the formula has no %s:\n%s", want, formula)
		}
	}
}

// typeThePage types the blocks of docs/install.md in an empty directory that has nothing but the release, and looks for
// the version that each way must print. It returns the directory, with what each way has unpacked.
func typeThePage(t *testing.T, dist string) string {
	t.Helper()
	var script strings.Builder
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text(t, "docs", "install.md"), -1) {
		script.WriteString(m[1])
	}
	ways := strings.Count(script.String(), "tasker version\n")
	root := t.TempDir()
	if err := os.Symlink(dist, filepath.Join(root, "dist")); err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "brew"), []byte(brew), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-eux", "-c", script.String())
	cmd.Dir, cmd.Env = root, []string{"HOME=" + root, "PATH=" + tools + ":/usr/local/bin:/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if got := strings.Count(string(out), "\ntasker 1.2.3 "); err != nil || ways < 4 || got != ways {
		t.Errorf("docs/install.md has %d ways, and %d gave the program: %v\n%s", ways, got, err, out)
	}
	return root
}

// brew stands in for Homebrew, which takes a formula from a tap alone: it looks for the archive of this platform that the formula
// names in dist, compares its checksum, and installs what the formula's install names.
const brew = `#!/bin/sh -eu
prefix=$HOME/homebrew
tap() { echo "$prefix/Taps/${1%/*}/homebrew-${1##*/}"; }
case $1 in
tap-new) [ "$2" = --no-git ] && mkdir -p "$(tap "$3")/Formula" ;;
--prefix) echo "$prefix" ;;
--repository) tap "$2" ;;
install)
	formula=$(tap "${2%/*}")/Formula/${2##*/}.rb
	url=$(sed -n 's/^ *url "\(.*\)"/\1/p' "$formula")
	echo "$(sed -n 's/^ *sha256 "\(.*\)"/\1/p' "$formula")  dist/${url##*/}" | sha256sum --check --quiet
	mkdir -p "$prefix/bin" "$prefix/cellar"
	tar xzf "dist/${url##*/}" -C "$prefix/cellar" --strip-components 1
	sed -n 's/^ *[a-z_0-9]*\.install \(Dir\[\)\{0,1\}"\([^"]*\)".*/\2/p' "$formula" | while read -r file; do
		ls "$prefix/cellar"/$file > /dev/null
	done
	cp "$prefix/cellar/tasker" "$prefix/bin/" ;;
*) exit 2 ;;
esac
`

// dpkg reads the package, and its files, unpacked at root, are where the system looks for them.
func checkDebian(t *testing.T, deb, root, program string) {
	t.Helper()
	if info := output(t, ".", "dpkg-deb", "--info", deb); !strings.Contains(info, "Version: 1.2.3") {
		t.Errorf("dpkg says %s", info)
	}
	if text(t, root, "usr/bin/tasker") != text(t, program) {
		t.Error("the package has another program than the archive")
	}
	output(t, root, "gzip", "--test", "usr/share/man/man1/tasker-next.1.gz", "usr/share/doc/tasker/changelog.gz")
	if text(t, root, "usr/lib/systemd/system/tasker.service") != text(t, "packaging", "systemd", "tasker.service") {
		t.Error("the package has another unit")
	}
	control := t.TempDir()
	output(t, control, "dpkg-deb", "--control", deb, control)
	output(t, root, "md5sum", "--check", "--strict", "--quiet", filepath.Join(control, "md5sums"))
}

// Node finds the program of the platform's package, both installed at root, and exits with its exit code.
func checkNode(t *testing.T, root, platform string) {
	t.Helper()
	start := filepath.Join(root, "node_modules", "tasker", "bin", "tasker.js")
	if out := output(t, root, "node", start, "version"); !strings.Contains(out, "1.2.3") {
		t.Errorf("through Node, tasker version says %s", out)
	}
	cmd := exec.Command("node", start, "no-such-command")
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("through Node, a command that does not exist ends with %v", err)
	}
	if err := os.RemoveAll(filepath.Join(root, "node_modules", "@tasker")); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", start, "version").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "@tasker/"+platform+" is not installed") {
		t.Errorf("without the platform's package: %v %s", err, out)
	}
}

// dpkg installs the package into a root of its own, lists it there, and removes it again.
func installDebian(t *testing.T, deb string) {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/updates", "var/lib/dpkg/info"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) string {
		return output(t, root, "dpkg", append([]string{"--root=" + root, "--force-not-root", "--log=" + filepath.Join(root, "log")}, args...)...)
	}
	dpkg("--install", deb)
	if out := output(t, root, filepath.Join(root, "usr/bin/tasker"), "version"); !strings.Contains(out, "1.2.3") {
		t.Errorf("as dpkg installed it, tasker version says %s", out)
	}
	if out := dpkg("--list", "tasker"); !strings.Contains(out, "ii  tasker") {
		t.Errorf("dpkg lists %s", out)
	}
	dpkg("--purge", "tasker")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/tasker")); !os.IsNotExist(err) {
		t.Errorf("after dpkg took it away: %v", err)
	}
}

// npm installs both packages without a network, and links the command.
func installNode(t *testing.T, dir, platform string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, root, "npm", "install", "--offline", "--omit=optional", "--no-audit", "--no-fund",
		filepath.Join(dir, "npm", "tasker-"+platform+"-1.2.3.tgz"), filepath.Join(dir, "npm", "tasker-1.2.3.tgz"))
	if out := output(t, root, filepath.Join(root, "node_modules", ".bin", "tasker"), "version"); !strings.Contains(out, "1.2.3") {
		t.Errorf("as npm installed it, tasker version says %s", out)
	}
}

// The bill lists exactly the modules that the program says it is built from.
func checkBill(t *testing.T, bill, program string) {
	t.Helper()
	var doc struct {
		BOMFormat, SpecVersion, SerialNumber string
		Components                           []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal([]byte(text(t, bill)), &doc); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.Read(bytes.NewReader([]byte(text(t, program))))
	if err != nil {
		t.Fatal(err)
	}
	if doc.BOMFormat != "CycloneDX" || len(doc.SerialNumber) != len("urn:uuid:")+36 || len(doc.Components) != len(info.Deps)+1 {
		t.Errorf("%s %s with %d components for %d modules", doc.BOMFormat, doc.SerialNumber, len(doc.Components), len(info.Deps))
	}
	checkCycloneDX(t, []byte(text(t, bill)))
	for i, m := range info.Deps {
		if c := doc.Components[i+1]; c.Name != m.Path || c.Version != m.Version || c.Purl != "pkg:golang/"+m.Path+"@"+m.Version {
			t.Errorf("the bill has %v in the place of %s %s", c, m.Path, m.Version)
		}
	}
}

// The schema of CycloneDX 1.6 requires these members and forms, and allows no others.
var (
	serial   = regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	itsTypes = []string{"application", "framework", "library", "container", "platform", "operating-system", "device", "firmware", "file"}
)

func checkCycloneDX(t *testing.T, doc []byte) {
	t.Helper()
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl"`
	}
	var b struct {
		Format   string `json:"bomFormat"`
		Spec     string `json:"specVersion"`
		Serial   string `json:"serialNumber"`
		Version  int    `json:"version"`
		Metadata struct {
			Timestamp time.Time `json:"timestamp"`
			Component component `json:"component"`
		} `json:"metadata"`
		Components []component `json:"components"`
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		t.Fatalf("the bill: %v", err)
	}
	if b.Format != "CycloneDX" || b.Spec != "1.6" || b.Version < 1 || !serial.MatchString(b.Serial) || b.Metadata.Timestamp.IsZero() {
		t.Errorf("the bill begins with %s %s, %s, version %d of %s", b.Format, b.Spec, b.Serial, b.Version, b.Metadata.Timestamp)
	}
	seen := map[string]bool{}
	for _, c := range append(b.Components, b.Metadata.Component) {
		if !slices.Contains(itsTypes, c.Type) || c.Name == "" || c.Version == "" || c.Ref == "" || seen[c.Ref] {
			t.Errorf("the bill has %+v: a component needs a type, a name, a version and a reference of its own", c)
		}
		seen[c.Ref] = true
	}
}
