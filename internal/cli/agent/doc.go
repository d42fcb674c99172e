// Package agent holds the commands that agents work with: the manual they read first (prime), who they are (whoami),
// the tool server (mcp), the loop that runs them (run), and the files that set them up (setup).
package agent
