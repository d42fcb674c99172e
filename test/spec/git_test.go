package spec

import "os/exec"

// git runs git in the world's directory.
func git(w *world, args ...string) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), "git", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
