package security

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// TestATokenGoesNowhereThatOnlyAFileNames pulls in a repository whose file declares a site, with the tracker's token in the
// environment and nothing that names the site.
func TestATokenGoesNowhereThatOnlyAFileNames(t *testing.T) {
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(site.Close)
	m := dig(t, dbtest.SQLite(t))
	file := strings.Replace(openMode, `"project"`, `"integrations": {"issue_tracker": {"baseUrl": "`+site.URL+`", "projects": ["DEMO"]}}, "project"`, 1)
	if err := os.WriteFile(filepath.Join(m.dir, ".tasker.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(m.TempDir(), "state")
	host := strings.TrimPrefix(site.URL, "http://")
	does := func(env []string, want string, args ...string) {
		t.Helper()
		m.said.Reset()
		m.command(append([]string{"XDG_STATE_HOME=" + state}, env...), args...)
		if !strings.Contains(m.said.String(), want) {
			t.Errorf("%v says %s, not %s", args, m.said.String(), want)
		}
	}
	m.command(nil, "apply", "-f", "-")
	does(nil, "are not sent to "+host, "sync", "pull")
	does(nil, "TASKER_TRACKER_URL, or confirms the host: tasker sync trust "+host, "sync", "pull")
	does(nil, "are not sent to "+host, "import", "tracker")
	does([]string{"TASKER_ACTOR=claude"}, "is for a human to decide", "sync", "trust", host)
	does([]string{"TASKER_ACTOR=stranger"}, "is for a human to decide", "sync", "trust", host)
	does([]string{"TASKER_ACTOR="}, "is for a human to decide", "sync", "trust", host) // an undeclared user, where humans are declared
	does(nil, "is not a host", "sync", "trust", "a b")
	does(nil, "are not sent to "+host, "sync", "pull")
	if n := asked.Load(); n != 0 {
		t.Fatalf("the site was asked %d times", n)
	}

	does(nil, "Credentials may go to "+host, "sync", "trust", site.URL+"/jira")
	kept := filepath.Join(state, "tasker", "trusted")
	info, err := os.Stat(kept)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	does(nil, "the tracker answers 401", "sync", "pull")
	if asked.Load() == 0 {
		t.Error("a host that was confirmed is not asked")
	}
	if err := os.Chmod(kept, 0o622); err != nil {
		t.Fatal(err)
	}
	does(nil, ", which names the hosts that credentials go to", "sync", "pull")
	if err := os.Chmod(kept, 0o600); err != nil {
		t.Fatal(err)
	}
	does([]string{"XDG_STATE_HOME=", "HOME="}, "are not sent to "+host, "sync", "pull")
	does([]string{"XDG_STATE_HOME=", "HOME="}, "there is no home directory to keep the confirmed hosts in", "sync", "trust", host)
	does(nil, "is no longer a confirmed host for credentials", "sync", "trust", host, "--remove")
	does(nil, "are not sent to "+host, "sync", "pull")
	asked.Store(0)
	does([]string{"TASKER_TRACKER_URL=" + site.URL}, "the tracker answers 401", "sync", "pull")
	if asked.Load() == 0 {
		t.Error("a site that the environment names is not asked")
	}
	does([]string{"TASKER_TRACKER_URL="}, "are not sent to "+host, "sync", "pull")
}
