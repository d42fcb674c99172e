// Package worktree changes a repository for the workspaces of tasks. It makes and removes work
// trees and branches, merges branches without touching a work tree, and saves under a ref what
// would be lost. It runs git as the user would, with the user's configuration, so the filters and
// hooks that a checkout needs do run; package git, which only looks, runs none. Branch names come
// from package workspace, never straight from a user's text.
package worktree
