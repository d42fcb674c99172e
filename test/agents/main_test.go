package agents

import (
	"os"
	"testing"

	"tasker/test/program"
)

// tasker is the path of the built program.
var tasker string

func TestMain(m *testing.M) { os.Exit(program.Main(m, func(path string) { tasker = path })) }
