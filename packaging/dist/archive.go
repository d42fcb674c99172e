package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tarred writes files, and the directories above them, as a tar: owned by root, with one date, in
// the given order.
func tarred(w io.Writer, all []entry, date time.Time) error {
	t := tar.NewWriter(w)
	seen := map[string]bool{}
	for _, e := range all {
		for _, d := range above(e.path) {
			if seen[d] {
				continue
			}
			seen[d] = true
			h := &tar.Header{Typeflag: tar.TypeDir, Name: d + "/", Mode: 0o755, ModTime: date, Uname: "root", Gname: "root", Format: tar.FormatGNU}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
		}
		h := &tar.Header{Name: e.path, Mode: e.mode, Size: int64(len(e.content)), ModTime: date, Uname: "root", Gname: "root", Format: tar.FormatGNU}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.content); err != nil {
			return err
		}
	}
	return t.Close()
}

// above returns the parent directories of a file, outermost first.
func above(file string) []string {
	var all []string
	for d := path.Dir(file); d != "." && d != "/"; d = path.Dir(d) {
		all = append(all, d)
	}
	slices.Reverse(all)
	return all
}

// tarGz compresses as gzip does by itself, or at the level DIST_LEVEL: tests do not wait for small archives.
func tarGz(w io.Writer, all []entry, date time.Time) error {
	level, err := strconv.Atoi(cmp.Or(os.Getenv("DIST_LEVEL"), strconv.Itoa(gzip.DefaultCompression)))
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, level)
	if err != nil {
		return err
	}
	if err := tarred(z, all, date); err != nil {
		return err
	}
	return z.Close()
}

func zipped(w io.Writer, all []entry, date time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range all {
		h := &zip.FileHeader{Name: e.path, Method: zip.Deflate, Modified: date}
		h.SetMode(0o644)
		if e.mode&0o111 != 0 {
			h.SetMode(0o755)
		}
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.content); err != nil {
			return err
		}
	}
	return z.Close()
}

// gzipped compresses one file and omits its name and date.
func gzipped(content []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(content); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// archived writes files in the format of ar, which Debian packages use.
func archived(all []entry, date time.Time) []byte {
	var b strings.Builder
	b.WriteString("!<arch>\n")
	for _, e := range all {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", e.path, date.Unix(), 0, 0, "100644", len(e.content))
		b.Write(e.content)
		if len(e.content)%2 != 0 {
			b.WriteByte('\n')
		}
	}
	return []byte(b.String())
}
