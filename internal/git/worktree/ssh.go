package worktree

import "os"

// sshCommand returns what git runs to reach a remote: the user's own, or ssh told to ask nobody for a password.
func sshCommand() string {
	if own := os.Getenv("GIT_SSH_COMMAND"); own != "" {
		return own
	}
	return "ssh -o BatchMode=yes -o ConnectTimeout=10"
}
