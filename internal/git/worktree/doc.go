// Package worktree changes a repository for the workspaces of tasks: it makes and removes work trees and branches, merges
// branches without touching a work tree, and stores under a ref what would be lost. It runs the git command as the user
// would, with the user's configuration, so that filters and hooks that a checkout needs do run; package git, which only
// looks, runs none. Names of branches come from package place, never from a text as somebody wrote it.
package worktree
