//go:build !unix

package sqlite

func full(error) bool { return false }

func readOnly(error) bool { return false }
