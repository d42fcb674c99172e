// Package gitea holds the tests that link tasker with a real Gitea. Building one takes a quarter of an hour, so they run
// only in `make test-long`, with the tag gitea; they show that the stand-in of package forgetest behaves like Gitea.
package gitea
