package backup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/transfer/backup"
)

func written(t *testing.T) (path string, text []byte) {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.WriteFile(data, bytes.Repeat([]byte("0123456789"), 150), 0o600); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "a.tar")
	if _, err := backup.Write(path, backup.Manifest{Kind: backup.Records, Schema: 3, LastEvent: 7}, data); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}

func TestABackupIsReadBackAndNeverReplacesAFile(t *testing.T) {
	path, text := written(t)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v, want 0600", info.Mode(), err)
	}
	got, err := backup.Open(path, t.TempDir())
	if err != nil || got.Schema != 3 || got.LastEvent != 7 || got.Written.Bytes != int64(len(text)) || got.Manifest.Bytes != 1500 {
		t.Fatalf("%+v %v", got, err)
	}
	_, err = backup.Write(path, backup.Manifest{Kind: backup.Records}, got.Data)
	if !fault.Is(err, fault.Declined) {
		t.Errorf("a file was replaced: %v", err)
	}
}

func TestEveryChangedByteAndEveryCutIsRefused(t *testing.T) {
	_, text := written(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "b.tar")
	into := t.TempDir()
	try := func(what string, at int, changed []byte) {
		t.Helper()
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Open(path, into); !fault.Is(err, fault.Invalid) {
			t.Fatalf("%s at %d: %v", what, at, err)
		}
	}
	for at := 0; at < len(text); at += 11 {
		changed := bytes.Clone(text)
		changed[at] ^= 0x20
		try("a changed byte", at, changed)
		if at%77 == 0 {
			try("a cut", at, text[:at])
		}
	}
	try("an appended byte", len(text), append(bytes.Clone(text), 0))
	left, err := os.ReadDir(into)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
