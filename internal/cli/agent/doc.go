// Package agent holds the commands by which agents work: the manual they read first (prime), who they are (whoami), the
// tools they are served (mcp), the loop that runs them (run), and the files that set them up (setup).
package agent
