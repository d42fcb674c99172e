//go:build unix

package sqlite

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/store"
)

// waitEnv makes the test binary a process that waits for its turn on a file, and writes.
const waitEnv = "TASKER_TEST_WAIT_TURN"

// impatient checks often whether it can continue, and is never refused.
var impatient = db.Setup{Migrations: store.Schema(), Patience: db.Patience{Tell: 20 * time.Millisecond, GiveUp: time.Hour}}

func waitTurn(path string) {
	e, err := Open(path, impatient)
	if err == nil {
		err = db.New(e, db.Hooks{}).Write(ctx, db.Request{}, record("stopped meanwhile"))
	}
	fmt.Println("wrote", err)
	os.Exit(0)
}

// A process that is stopped while it is first in the queue holds nobody up: the others are served past it, each in its
// turn, and it has its own turn once it continues, although the others write all the time.
func TestAProcessStoppedWhileItWaitsIsPassed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	open := func() *db.DB {
		e, err := Open(path, impatient)
		if err != nil {
			t.Fatal(err)
		}
		d := db.New(e, db.Hooks{})
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		return d
	}
	guests := []*db.DB{open(), open(), open()}
	for _, d := range guests {
		if err := d.Write(ctx, db.Request{}, record("")); err != nil {
			t.Fatal(err)
		}
	}

	held, free, over := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		over <- guests[0].Write(ctx, db.Request{}, func(*db.Turn) error { close(held); <-free; return nil })
	}()
	<-held
	waiter := exec.Command(os.Args[0])
	waiter.Env = append(os.Environ(), waitEnv+"="+path)
	out, err := waiter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := waiter.Start(); err != nil {
		t.Fatal(err)
	}
	for first := ""; !strings.HasPrefix(first, fmt.Sprint(waiter.Process.Pid, " ")); {
		words, err := os.ReadFile(path + "-turn")
		if err != nil {
			t.Fatal(err)
		}
		first = string(words[min(256, len(words)):]) // where the first process in the queue leaves word
	}
	var status syscall.WaitStatus
	if err := waiter.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Wait4(waiter.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the other process does not stop: %v %v", status, err)
	}
	close(free)
	if err := <-over; err != nil {
		t.Error(err)
	}

	const times = 40
	var group sync.WaitGroup
	for _, d := range guests {
		group.Go(func() {
			for range times {
				if err := d.Write(ctx, db.Request{}, record("")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got, want := lastEvent(t, guests[0]), int64(len(guests)*(times+1)); got != want {
		t.Errorf("last event %d, want %d: the stopped process cannot have written", got, want)
	}

	done := make(chan bool)
	for _, d := range guests {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := d.Write(ctx, db.Request{}, record("")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if err := waiter.Process.Signal(syscall.SIGCONT); err != nil {
		t.Error(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "wrote <nil>\n" {
		t.Errorf("the process that goes on says %q", line)
	}
	close(done)
	group.Wait()
	if err := waiter.Wait(); err != nil {
		t.Error(err)
	}
}
