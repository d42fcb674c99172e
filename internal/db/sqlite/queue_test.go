package sqlite

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
)

// holdEnv makes the test binary a process that takes the turn on a file and holds it.
const holdEnv = "TASKER_TEST_HOLD_TURN"

func holdTurn(path string) {
	e, err := Open(path, db.Setup{Migrations: store.Schema()})
	if err == nil {
		err = db.New(e, db.Hooks{}).Write(ctx, db.Request{}, func(t *db.Turn) error {
			if err := record("never committed")(t); err != nil {
				return err
			}
			fmt.Println("held")
			_, err := io.Copy(io.Discard, os.Stdin) // until it is killed, or the test is gone
			return err
		})
	}
	fmt.Println(err)
	os.Exit(1)
}

func TestTheTurnOfAProcessThatIsKilledPassesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	d, _ := opened(t, path)
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		holder := exec.Command(os.Args[0])
		holder.Env = append(os.Environ(), holdEnv+"="+path)
		out, err := holder.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := holder.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := holder.Start(); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
			t.Fatalf("the other process says %q", line)
		}
		answer := make(chan error, 1)
		go func() { answer <- d.Write(ctx, db.Request{}, record("")) }()
		if lastEvent(t, d) == 0 {
			t.Error("a reader waits for the writer")
		}
		select {
		case err := <-answer:
			t.Fatalf("the write did not wait for its turn: %v", err)
		default:
		}
		if err := holder.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = holder.Wait()
		if err := <-answer; err != nil {
			t.Error(err)
		}
	}
	if last := lastEvent(t, d); last != 4 {
		t.Errorf("last event %d", last)
	}
}
