package terminal_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// waiting returns a world in which an approval, a review and a question wait for ann.
func waiting(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.run("robot", "review", "ship")
	w.run("robot", "ask", "free", "Which one?", "--blocking")
	return w
}

// A person opens the view, answers a question, reads and approves, is refused what has changed in the meantime, and
// leaves.
func TestTheWholeScreen(t *testing.T) {
	for _, way := range []string{"local", "server"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := waiting(t)
			args := []string{"ui"}
			if way == "server" {
				args = append(args, "--server", w.serve())
			}
			s := w.open(80, 24, args...)
			s.shows("[1 Waits for you (2)]", "● live", "Which one?", "Ship it")
			answering(s)
			approving(s)
			walking(s)
			s.types("q")
			if code := s.ends(); code != 0 {
				t.Errorf("it ended with %d", code)
			}
			if got := w.run("ann", "show", "free"); !strings.Contains(got, "the red one") {
				t.Errorf("the answer is not there:\n%s", got)
			}
		})
	}
}

func answering(s *tty) {
	s.Helper()
	s.types(downKey)
	s.shows("› demo-3")
	s.types("w")
	s.shows("Answer question")
	s.types("the red one" + enter)
	s.shows("Answered question", "[1 Waits for you (1)]")
}

// approving approves what was shown, and is refused what another process has changed in the meantime.
func approving(s *tty) {
	s.Helper()
	s.types("a")
	s.shows("Approve version 2 of demo-1 as lead, as it is shown here?", "Ship it")
	s.run("robot", "edit", "ship", "--title", "Ship it tomorrow")
	s.shows("Ship it tomorrow") // it arrives while the question is open
	s.types("y")
	s.shows("Refused: demo-1 has version 3, not 2")
	s.types(" ")
	s.shows("Ship it tomorrow", "version: 3")
	s.types("a")
	s.shows("Approve version 3 of demo-1 as lead")
	s.types("y")
	s.shows("Recorded your approval of demo-1")
	s.types("d")
	s.shows("Close version 3 of demo-1 as done?")
	s.types("y")
	s.shows("demo-1 ● done")
	s.types(escape)
	s.shows("[1 Waits for you (0)]")
}

// walking follows an edge, works on a task, and sees what is missing.
func walking(s *tty) {
	s.Helper()
	s.types("4")
	s.shows("[4 All (4)]", "demo-4")
	s.types("/")
	s.shows("Narrow by")
	s.types("after")
	s.shows("[4 All (1)]")
	s.types(enter + "g")
	s.shows("← Waits for (1)", "Waited for by: nothing")
	s.types(left)
	s.shows("› demo-1")
	s.types(left)
	s.shows("around demo-4 › around demo-1", "Waited for by (1) →")
	s.types(escape)
	s.hides("around demo-1")
	s.types(escape)
	s.shows("[4 All (1)]")
	s.types(escape)
	s.shows("[4 All (4)]", "demo-2")
	s.types("/look" + enter)
	s.shows("[4 All (1)]")
	s.types("c")
	s.shows("demo-2 is yours", "◐ held")
	s.types("dy")
	s.shows("Refused:", "- criterion 1: it was read")
	s.types(" t")
	s.shows("Tick which criteria of demo-2?")
	s.types("1" + enter)
	s.shows("demo-2 has 1 of 1 criterion ticked")
	s.types("n")
	s.shows("Note on demo-2:")
	s.types("read it" + enter)
	s.shows("Noted on demo-2")
	s.types("dy")
	s.shows("demo-2 ● done")
}

// What another process does appears without a key press, and the screen follows the size of the terminal.
func TestTheScreenFollowsWhatHappensAndItsSize(t *testing.T) {
	t.Parallel()
	w := waiting(t)
	s := w.open(100, 30, "ui", "-p", "demo")
	s.types("3")
	s.shows("[3 Ready (1)]")
	w.run("robot", "add", "One more \x1b[31m日本")
	s.shows("[3 Ready (2)]", `One more \x1b[31m日本`)
	s.resize(40, 12)
	s.shows("This view needs 60 columns", "there are 40 and 12.")
	s.resize(60, 20)
	s.shows("[3 Ready (2)]", `One more`)
	s.types("?")
	s.shows("answer its question", "any key goes on")
	s.types(" ")
	s.hides("answer its question")
	s.types(ctrlC)
	if code := s.ends(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// resize makes the terminal larger or smaller.
func (t *tty) resize(width, height int) {
	t.Helper()
	t.mu.Lock()
	t.screen.resize(width, height)
	t.mu.Unlock()
	if err := pty.Setsize(t.master, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		t.Fatal(err)
	}
}

func TestASignalLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open(80, 24, "ui", "--color", "never")
	s.shows("● live", "Nothing waits for you")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.ends()
}

// A shell with job control suspends the view with Ctrl-Z, uses its terminal in the meantime, and resumes it.
func TestTheWholeScreenIsSuspendedAndGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ui := w.command("ann", "ui", "--color", "never")
	shell := exec.Command("sh", "-mc", `"$@"; echo "the shell again"; read line; fg; echo "all over"`, "sh")
	shell.Args = append(shell.Args, ui.Args...)
	shell.Dir, shell.Env = ui.Dir, ui.Env
	s := w.start(80, 24, shell)
	s.shows("● live", "Nothing waits for you")
	s.types("\x1a")
	s.until("the shell's own screen", func(s *screen) bool {
		return !s.alternate && !s.hidden && strings.Contains(s.String(), "the shell again")
	})
	s.types(enter)
	s.until("the view again", func(s *screen) bool { return s.alternate && strings.Contains(s.String(), "● live") })
	s.types("q")
	s.shows("all over")
	s.ends()
}

func TestTheWholeScreenNeedsATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, err := w.command("ann", "ui").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "this view draws on a terminal, and there is none") || !strings.Contains(string(out), "tasker list") {
		t.Errorf("in a pipe: %v\n%s", err, out)
	}
	w.env = []string{"TERM=dumb"}
	s := w.open(80, 24, "ui")
	s.shows("this terminal cannot", "tasker list")
	if code := s.ends(); code != 2 {
		t.Errorf("it ended with %d", code)
	}
}
