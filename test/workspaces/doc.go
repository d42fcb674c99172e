// Package workspaces drives the workspace commands from outside, with real repositories: killed at every call of git,
// many at once, and in odd repositories.
package workspaces
