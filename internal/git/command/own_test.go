package command_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tasker/internal/git/command"
)

// effective makes a repository with its own configuration and one of the user's, and returns the
// settings that git uses.
func effective(t *testing.T, own, users string) (settings string, found command.Own) {
	t.Helper()
	dir := t.TempDir()
	global := filepath.Join(dir, "global")
	if err := os.WriteFile(global, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	if _, err := command.Run(t.Context(), dir, nil, "init", "--quiet", "repo"); err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	f, err := os.OpenFile(filepath.Join(repo, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(own); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	git := command.Git{}
	if git.Own, err = git.At(t.Context(), repo); err != nil {
		t.Fatal(err)
	}
	out, err := git.Run(t.Context(), repo, nil, "config", "--list")
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]string{}
	var keys []string
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if _, ok := last[key]; !ok {
			keys = append(keys, key)
		}
		last[key] = value
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, key := range keys {
		b.WriteString(key + "=" + last[key] + "\n")
	}
	return b.String(), git.Own
}

// Whatever program a repository names, in its configuration or in an included file, gives way to
// the user's.
func TestSettingsOfARepositoryGiveWay(t *testing.T) {
	included := filepath.Join(t.TempDir(), "more")
	if err := os.WriteFile(included, []byte("[filter \"in\"]\n\tclean = evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, own := effective(t, `
[Include]
	path = `+included+`
[filter "a"]
	clean = evil
	clean =
	required
[filter "twice"]
	smudge =
	smudge = evil
[filter "mine"]
	clean = evil
[core]
	sshCommand = evil
	alternateRefsCommand = evil
	fsmonitor = evil
	hooksPath = evil
	askPass = evil
[merge "m"]
	driver = evil
[diff]
	external = evil
[diff "d"]
	textconv = evil
	command = evil
[remote "origin"]
	uploadpack = evil
[http "https://example.org"]
	saveCookies = true
[lfs "customtransfer.x"]
	path = evil
[lfs]
	standaloneTransferAgent = evil
[credential]
	helper = evil
[submodule]
	recurse = true
`, "[filter \"mine\"]\n\tclean = good\n[core]\n\tsshCommand = good\n[credential]\n\thelper = good\n")
	if strings.Contains(got, "evil") {
		t.Errorf("git uses\n%s", got)
	}
	for _, want := range []string{"filter.mine.clean=good\n", "core.sshcommand=good\n", "credential.helper=good\n", "filter.a.required=false\n", "submodule.recurse=false\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if want := []string{"in", "a", "twice"}; !slices.Equal(own.Filters, want) {
		t.Errorf("declined are %q, want %q", own.Filters, want)
	}
}

// The user's own git variables stay, and ours override them.
func TestTheUsersSettingsOfTheEnvironmentStay(t *testing.T) {
	for name, value := range map[string]string{
		"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Me", "GIT_CONFIG_KEY_1": "core.fsmonitor", "GIT_CONFIG_VALUE_1": "evil",
		"GIT_ALLOW_PROTOCOL": "https:ext:file",
	} {
		t.Setenv(name, value)
	}
	for key, want := range map[string]string{"user.name": "Me", "core.fsmonitor": "false", "core.hooksPath": os.DevNull, "protocol.ext.allow": "never"} {
		if got, err := command.Run(t.Context(), t.TempDir(), nil, "config", key); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s is %q, %v", key, got, err)
		}
	}
	got, err := command.Run(t.Context(), t.TempDir(), nil, "-c", "alias.show-env=!echo $GIT_ALLOW_PROTOCOL", "show-env")
	if err != nil || strings.TrimSpace(got) != "https:file" {
		t.Errorf("allowed are %q, %v", got, err)
	}
}

// No external program shows differences.
func TestDifferencesAreGitsOwn(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_EXTERNAL_DIFF", "echo evil; false")
	git := func(args ...string) string {
		t.Helper()
		out, err := command.Run(t.Context(), dir, nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	git("init", "--quiet")
	for name, text := range map[string]string{"a.txt": "one\n", ".gitattributes": "*.txt diff=evil\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("add", ".")
	git("-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "one")
	for _, key := range []string{"diff.external", "diff.evil.command", "diff.evil.textconv"} {
		git("config", key, "echo evil; false")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"diff"}, {"-c", "color.ui=false", "diff", "HEAD"}, {"log", "-p"}, {"show"}, {"diff-index", "-p", "HEAD"}} {
		if out := git(args...); !strings.Contains(out, "\n+") || strings.HasPrefix(out, "evil") || strings.Contains(out, "\nevil") {
			t.Errorf("git %v says\n%s", args, out)
		}
	}
}

func TestAnAnswerIsBounded(t *testing.T) {
	_, err := command.Git{Limit: 100}.Run(t.Context(), t.TempDir(), nil, "help", "-a")
	if err == nil || !strings.Contains(err.Error(), "git help printed more than 100 bytes") {
		t.Errorf("it ended with %v", err)
	}
}
