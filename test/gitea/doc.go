// Package gitea holds the tests that link tasker with a real Gitea. It takes a quarter of an hour to build one, so that they
// run in `make test-long` alone, by the tag gitea; what they show is that the stand-in of package forgetest speaks as Gitea does.
package gitea
