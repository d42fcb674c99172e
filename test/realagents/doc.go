// Package realagents runs the agents' own programs against a scripted model on this machine: `make test-agents` installs them
// and starts these tests, which the build tag agents keeps out of the others.
package realagents
