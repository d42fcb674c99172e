// Command demo writes the plan "shop" and its configuration into a directory, for `make run`, and prints what to try:
// the arguments of a command in one line, and what it does in the next.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tasker/test/shop"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("say where: demo DIR")
	}
	if err := os.WriteFile(filepath.Join(args[0], ".tasker.json"), []byte(shop.Config), 0o644); err != nil {
		return err
	}
	made, err := shop.Write(context.Background(), filepath.Join(args[0], "tasker.db"), time.Now())
	if err != nil {
		return err
	}
	for _, try := range [][2]string{
		{fmt.Sprintf("answer %d 'One series for each country'", made.Question), "the question of claude/2 is gone, and claude/2 can go on"},
		{"done " + shop.Handed, "what gemini/2 handed over is closed, on the run and the tick that are named"},
		{"release " + shop.Stalled + " --note 'claude/1 has gone quiet'", "the task that most of the plan waits for is ready for the next worker"},
	} {
		fmt.Printf("%s\n%s\n", try[0], try[1])
	}
	return nil
}
