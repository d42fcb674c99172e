// Package drift compares the guidance that agents follow with what it was when a task was claimed.
package drift

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/task"
)

// Fingerprint is a guidance file with the hash of its content, which is empty if the file cannot be read. A directory
// that cannot be read has one too, with a slash at the end of its path: it stands for all guidance in it.
type Fingerprint struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
}

// Guided is the guidance that was tracked when a task was claimed, and the newest state of it that an event has
// reported.
type Guided struct {
	Task  task.ID       `json:"-"`
	Fence int64         `json:"-"`
	Files []Fingerprint `json:"files"`
	Told  []Fingerprint `json:"told"`           // as the files were when guidance.drifted was last recorded
	Root  string        `json:"root,omitempty"` // the workspace that the files are in; empty if they are in the project's repository
}

// MaxFile is how many bytes of a file are hashed. Of a longer file, the hash covers the beginning and the length.
const MaxFile = 1 << 20

// Hash returns the hash of a file: of its first MaxFile bytes, and also of its size if it is longer.
func Hash(text []byte, size int64) string {
	sum := sha256.New()
	sum.Write(text[:min(len(text), MaxFile)])
	if size > MaxFile {
		_, _ = fmt.Fprintf(sum, "\x00%d", size) // a hash never fails to write
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Drift is a change of one guidance file.
type Drift struct {
	Path string `json:"path"`
	What string `json:"what"` // changed, added or removed
}

// IsDir reports whether a fingerprint's path is that of a directory that could not be read.
func IsDir(path string) bool { return strings.HasSuffix(path, "/") }

// Unread returns the paths of the files and directories that could not be read.
func Unread(files []Fingerprint) []string {
	var out []string
	for _, f := range files {
		if f.Hash == "" {
			out = append(out, f.Path)
		}
	}
	return out
}

// Drifted compares two lists of fingerprints, both sorted by path, and returns the files that differ. If a directory
// could be read only once, we cannot know which of its files differ, so it counts as changed as a whole.
func Drifted(then, now []Fingerprint) []Drift {
	then, now = outside(then, now), outside(now, then)
	var out []Drift
	for len(then) > 0 || len(now) > 0 {
		switch {
		case len(then) == 0 || len(now) > 0 && now[0].Path < then[0].Path:
			out = append(out, Drift{now[0].Path, onlyIn(now[0].Path, "added")})
			now = now[1:]
		case len(now) == 0 || then[0].Path < now[0].Path:
			out = append(out, Drift{then[0].Path, onlyIn(then[0].Path, "removed")})
			then = then[1:]
		default:
			if then[0].Hash != now[0].Hash {
				out = append(out, Drift{now[0].Path, "changed"})
			}
			then, now = then[1:], now[1:]
		}
	}
	return out
}

// onlyIn returns what happened to a path that only one of two lists has.
func onlyIn(path, what string) string {
	if IsDir(path) {
		return "changed"
	}
	return what
}

// outside returns the files that are not in a directory that the other list could not read.
func outside(files, other []Fingerprint) []Fingerprint {
	shut := slices.DeleteFunc(Unread(other), func(path string) bool { return !IsDir(path) })
	if len(shut) == 0 {
		return files
	}
	return slices.DeleteFunc(slices.Clone(files), func(f Fingerprint) bool {
		return slices.ContainsFunc(shut, func(dir string) bool { return f.Path != dir && (dir == "./" || strings.HasPrefix(f.Path, dir)) })
	})
}

// Untold reports whether the guidance differs from the state that was last reported, or, if none was, from the state at
// the claim.
func (g *Guided) Untold(now []Fingerprint) bool {
	last := g.Told
	if last == nil {
		last = g.Files
	}
	return !slices.Equal(last, now)
}
