//go:build !unix

package db

import "io/fs"

func (systemFiles) Room(string) (int64, bool) { return 0, false }

func (systemFiles) Names(string) (int64, bool) { return 0, false }

func (systemFiles) Number(fs.FileInfo) uint64 { return 0 }
