package frame

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// between are the programs by which agents start others: they are looked through.
var between = []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox", "env", "nice", "timeout"}

// maxBetween is how many of them are looked through.
const maxBetween = 8

// starter names the process that started this one, shells aside: its number and when it began, so that no later process has
// the same name. It is empty if that cannot be told.
func starter() string {
	pid := os.Getppid()
	for range maxBetween {
		text, err := ReadSmall(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil || pid <= 1 {
			return ""
		}
		// The name stands in parentheses and may contain anything; what follows the last one are numbers.
		open, last := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
		const began = 19 // place of the start time after the name
		fields := bytes.Fields(text[max(last+1, 0):])
		if open < 0 || last < open || len(fields) <= began {
			return ""
		}
		if !slices.Contains(between, string(text[open+1:last])) {
			return fmt.Sprintf("%d %s", pid, fields[began])
		}
		if pid, err = strconv.Atoi(string(fields[1])); err != nil {
			return ""
		}
	}
	return ""
}
