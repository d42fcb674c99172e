// Command pg runs a command with a private PostgreSQL:
//
//	pg -- go test ./...
//
// The command finds the server's URL in TASKER_TEST_POSTGRES, and pg exits with the command's exit code. The server is
// stopped and removed when the command ends, and also when pg is interrupted or killed. If TASKER_TEST_POSTGRES is
// already set, that database is used and nothing is started.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest/pgserver"
)

// patience is how long the command may take to end after a signal.
const patience = 10 * time.Second

// templatePatience is how long it may take to make the template database.
const templatePatience = time.Minute

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: pg -- COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pg:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run returns the exit code of the command; the error is for failures around it.
func run(args []string) (code int, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)

	if os.Getenv(pgserver.EnvURL) == "" {
		server, startErr := pgserver.Start()
		if startErr != nil {
			return 1, startErr
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		if err := os.Setenv(pgserver.EnvURL, server.URL); err != nil {
			return 1, err
		}
		if err := makeTemplate(server.URL); err != nil {
			return 1, err
		}
	}
	return supervise(args, signals)
}

// makeTemplate makes the database that the tests' databases are copied from: our tables, and nothing in them.
func makeTemplate(server string) error {
	ctx, cancel := context.WithTimeout(context.Background(), templatePatience)
	defer cancel()
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, "CREATE DATABASE "+pgserver.Template)
	if err = errors.Join(err, c.Close(ctx)); err != nil {
		return err
	}
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	u.Path = "/" + pgserver.Template
	e, err := postgres.Open(u.String(), db.Setup{Migrations: store.Schema()})
	if err != nil {
		return err
	}
	s := store.NewStore(e)
	err = s.Read(ctx, func(*store.Tx) error { return nil })
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if c, err = pgx.Connect(ctx, u.String()); err != nil {
		return err
	}
	_, err = c.Exec(ctx, pgserver.Keep)
	return errors.Join(err, c.Close(ctx))
}

// supervise runs the command in a process group of its own and passes every signal to the whole group: if only `go test`
// got it, it would leave its test binaries behind.
func supervise(args []string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	var lastResort <-chan time.Time
	interrupted := 0
	for {
		select {
		case s := <-signals:
			sig, ok := s.(syscall.Signal)
			if !ok {
				continue
			}
			interrupted = 128 + int(sig)
			if lastResort == nil {
				lastResort = time.After(patience)
			}
			signalGroup(cmd, sig)
		case <-lastResort:
			signalGroup(cmd, syscall.SIGKILL)
		case err := <-ended:
			return exitCode(err, interrupted)
		}
	}
}

// signalGroup signals the command and everything it started. It ignores a group that is gone.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, sig)
}

func exitCode(err error, interrupted int) (int, error) {
	var exit *exec.ExitError
	switch {
	case interrupted > 0:
		return interrupted, nil
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	default:
		return 1, err
	}
}
