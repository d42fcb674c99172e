//go:build linux

package workspaces

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func opened(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.run("add", "One")
	w.run("workspace", "open", "shop-1")
	return w
}

func TestSignalsReachWhatExecRunsAndItsExitCodeIsTheCommands(t *testing.T) {
	w := opened(t)
	for _, c := range []struct {
		script string
		signal syscall.Signal
		exit   int
	}{
		{`trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done`, syscall.SIGTERM, 7},
		{`trap "exit 8" INT; echo ready; while :; do sleep 0.05; done`, syscall.SIGINT, 8},
		{`echo ready; exec sleep 600`, syscall.SIGTERM, 128 + 15},
	} {
		cmd := exec.CommandContext(t.Context(), binary, "workspace", "exec", "shop-1", "--", "sh", "-c", c.script)
		cmd.Dir, cmd.Env = w.dir, w.env
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("%s: %q %v", c.script, line, err)
		}
		must(t, cmd.Process.Signal(c.signal))
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != c.exit {
			t.Errorf("%s: %v, not %d", c.script, err, c.exit)
		}
	}
}

func TestExecGivesWhatItRunsTheTerminal(t *testing.T) {
	w := opened(t)
	master, slave := terminal(t)
	cmd := exec.CommandContext(t.Context(), binary, "workspace", "exec", "shop-1", "--", "sh", "-c",
		`test -t 0 && test -t 1 && echo terminal; read -r x; echo "typed $x"; trap "echo interrupted; exit 9" INT; echo now; while :; do sleep 0.05; done`)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, cmd.Start())
	must(t, slave.Close())
	read := bufio.NewReader(master)
	until := func(want string) {
		t.Helper()
		for {
			line, err := read.ReadString('\n')
			if strings.HasSuffix(strings.TrimRight(line, "\r\n"), want) { // the terminal echoes the input before it
				return
			}
			if err != nil {
				t.Fatalf("%s did not come: %v", want, err)
			}
		}
	}
	until("terminal")
	if _, err := master.WriteString("hello\n"); err != nil { // only the foreground group may read it
		t.Fatal(err)
	}
	until("typed hello")
	until("now")
	if _, err := master.WriteString("\x03"); err != nil { // an interrupt, as the terminal sends it to its foreground group
		t.Fatal(err)
	}
	until("interrupted")
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 9 {
		t.Errorf("it ends with %v", err)
	}
}

// terminal returns both sides of a terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { _ = master.Close() })
	var n, unlock uint32
	for _, call := range []struct {
		request uintptr
		value   *uint32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &n}} {
		if _, _, bad := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), call.request, uintptr(unsafe.Pointer(call.value))); bad != 0 {
			t.Fatal(bad)
		}
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(n)), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	return master, slave
}
