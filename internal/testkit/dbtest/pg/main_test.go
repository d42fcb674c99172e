package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tasker/internal/testkit/dbtest/pgserver"
)

// asCommand makes the test binary run as the command, so that the tests can start and kill it as a process.
const asCommand = "TASKER_TEST_RUN_PG"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// pg returns the command with a private server, whatever server this test itself uses.
func pg(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--", "/bin/sh", "-c", script)
	cmd.Env = append(os.Environ(), asCommand+"=1", pgserver.EnvURL+"=")
	cmd.Stderr = os.Stderr
	return cmd
}

// started runs the command until its child says where the server is, and connects to it: the connection ends when the
// server does. The child exits only when its standard input ends.
func started(t *testing.T) (*exec.Cmd, net.Conn, string) {
	t.Helper()
	cmd := pg(t, `echo "$TASKER_TEST_POSTGRES"; exec cat`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the child did not say where the server is: %v", err)
	}
	u, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	sockets, err := filepath.Glob(filepath.Join(pgserver.Root(), "tasker-pg-*", ".s.PGSQL."+u.Port()))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("sockets of port %s = %v, %v, want one", u.Port(), sockets, err)
	}
	return cmd, conn, filepath.Dir(sockets[0])
}

func TestTheServerAndItsDirectoryAreGoneAfterAKill(t *testing.T) {
	cmd, conn, dir := started(t)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // "signal: killed"
	gone(t, conn, dir)
}

func TestASignalEndsTheCommandAndTheServer(t *testing.T) {
	cmd, conn, dir := started(t)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("after a SIGTERM: %v, want exit code 143", err)
	}
	gone(t, conn, dir)
}

func TestTheExitCodeIsThatOfTheCommand(t *testing.T) {
	var exit *exec.ExitError
	if err := pg(t, "exit 7").Run(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("a command that exits with 7: %v", err)
	}
}

func TestAGivenDatabaseIsUsedAsItIs(t *testing.T) {
	cmd := pg(t, `echo "$TASKER_TEST_POSTGRES"`)
	cmd.Env = append(cmd.Env, pgserver.EnvURL+"=postgres://elsewhere/db")
	out, err := cmd.Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != "postgres://elsewhere/db" {
		t.Errorf("the command was given %q, %v", got, err)
	}
}

// endsWithin is how long a server may take to end on a busy machine.
const endsWithin = 3 * time.Minute

// gone waits for the server to end the connection, and then for its directory to disappear, which follows immediately.
func gone(t *testing.T, conn net.Conn, dir string) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(endsWithin)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the server still runs")
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(endsWithin); time.Now().Before(end); <-tick.C {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return
		}
	}
	t.Errorf("%s is still there", dir)
}
