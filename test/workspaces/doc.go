// Package workspaces drives the commands of workspaces from outside, with real repositories: killed at every call of git,
// many at once, and in odd repositories.
package workspaces
