package task

import (
	"path/filepath"

	"tasker/internal/text/words"
)

// Repository is a git repository on a machine; the zero value means no repository.
type Repository struct {
	Host string `db:"repo_host"`
	Dir  string `db:"repo_dir"` // git's directory that all work trees of the repository share
}

// Apart reports whether two repositories are known, and not the same one.
func (r Repository) Apart(from Repository) bool {
	return r.Dir != "" && from.Dir != "" && r != from
}

// Same reports whether two repositories are known, and the same one.
func (r Repository) Same(as Repository) bool { return r.Dir != "" && r == as }

// Place names the repository for somebody on a host: by its main checkout, if it has one.
func (r Repository) Place(host string) string {
	dir := r.Dir
	if filepath.Base(dir) == ".git" {
		dir = filepath.Dir(dir)
	}
	return dir + words.When(r.Host != host, " on "+r.Host)
}
