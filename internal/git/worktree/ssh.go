package worktree

import "os"

// sshCommand returns the command with which git reaches a remote: the user's own, or ssh set to
// prompt for nothing.
func sshCommand() string {
	if own := os.Getenv("GIT_SSH_COMMAND"); own != "" {
		return own
	}
	return "ssh -o BatchMode=yes -o ConnectTimeout=10"
}
