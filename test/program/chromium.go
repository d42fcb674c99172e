package program

import "os/exec"

// Chromium returns the path of a browser for tests, or "". The headless shell comes first: it has the same engine without
// tabs, history and suggestions around it, and a page costs half as much processor time in it. It is named by its own
// path: what Debian has on PATH is a script, which leaves the browser behind when it is killed.
func Chromium() string {
	for _, name := range []string{"/usr/lib/chromium/chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
