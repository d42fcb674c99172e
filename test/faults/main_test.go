package faults

import (
	"os"
	"testing"

	"tasker/test/program"
)

// tasker is the path of the built program.
var tasker string

// often returns how many times something is done: in `make test`, and in `make test-long`.
func often(short, long int) int {
	if os.Getenv("TASKER_TEST_LONG") != "" {
		return long
	}
	return short
}

func TestMain(m *testing.M) { os.Exit(program.Main(m, func(path string) { tasker = path })) }
