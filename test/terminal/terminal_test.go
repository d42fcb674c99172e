// Package terminal_test runs the built program in a real pseudo terminal, like a person: what is typed, what is on the
// screen, and what is left of it afterwards. It also lets real shells complete its command lines. Nothing sleeps: a test
// waits for what the screen shows.
package terminal_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"tasker/test/program"
)

var built string

func TestMain(m *testing.M) {
	os.Exit(program.Main(m, func(path string) { built = path }))
}

// patience is how long a test waits for what must come; only a failing test waits so long.
const patience = 60 * time.Second

const config = `{
	"version": 1, "project": "demo", "gates": {"ship": []},
	"execution": {"reviewPolicy": {"ship": [{"role": "lead", "reason": "it ships"}]}},
	"actors": [{"name": "robot", "kind": "agent"}, {"name": "ann", "kind": "human", "roles": ["lead"]}]
}`

const plan = `{"project": "demo", "tasks": [
	{"key": "ship", "title": "Ship it", "gate": "ship"},
	{"key": "look", "title": "Look at it", "criteria": ["it was read"]},
	{"key": "free", "title": "Free to take"},
	{"key": "after", "title": "After shipping", "deps": ["ship"]}]}`

// world is a directory with a project in which something waits for ann.
type world struct {
	*testing.T
	dir string
	env []string // in addition to the usual
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir()}
	for name, text := range map[string]string{".tasker.json": config, "plan.json": plan} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program.Prepare(t, built, filepath.Join(w.dir, "tasker.db"))
	w.run("robot", "apply", "-f", "plan.json")
	return w
}

func (w *world) command(actor string, args ...string) *exec.Cmd {
	cmd := exec.Command(built, args...)
	cmd.Dir = w.dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TASKER_DB=" + filepath.Join(w.dir, "tasker.db"), "TASKER_ACTOR=" + actor, "TERM=vt100", "LC_ALL=C.UTF-8",
	}, w.env...)
	return cmd
}

// run runs a command in another process, next to the one on the terminal.
func (w *world) run(actor string, args ...string) string {
	w.Helper()
	out, err := w.command(actor, args...).CombinedOutput()
	if err != nil {
		w.Fatalf("tasker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// serve starts a server that acts as ann, and returns its address.
func (w *world) serve() string {
	w.Helper()
	cmd := w.command("ann", "serve", "--port", "0", "--quiet")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			w.Fatalf("the server ended before it listened: %v", err)
		}
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			return url
		}
	}
}

// tty is a command on a terminal.
type tty struct {
	*world
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	before *term.State

	mu      sync.Mutex
	screen  *screen
	raw     strings.Builder // everything that was written
	changed chan struct{}   // holds a token when the screen has changed
	ended   chan error
}

// open runs a command of ann on a terminal of a size.
func (w *world) open(width, height int, args ...string) *tty {
	w.Helper()
	return w.start(width, height, w.command("ann", args...))
}

// start runs any command on a terminal of a size.
func (w *world) start(width, height int, cmd *exec.Cmd) *tty {
	w.Helper()
	master, slave, err := pty.Open()
	if err == nil {
		err = pty.Setsize(master, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)})
	}
	if err != nil {
		w.Fatal(err)
	}
	t := &tty{world: w, master: master, slave: slave, screen: newScreen(width, height), changed: make(chan struct{}, 1), ended: make(chan error, 1)}
	if t.before, err = term.GetState(int(slave.Fd())); err != nil {
		w.Fatal(err)
	}
	t.cmd = cmd
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = slave, slave, slave
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := t.cmd.Start(); err != nil {
		w.Fatal(err)
	}
	go t.read()
	go func() { t.ended <- t.cmd.Wait() }()
	w.Cleanup(func() {
		_ = t.cmd.Process.Kill()
		_ = slave.Close()
		_ = master.Close()
	})
	return t
}

func (t *tty) read() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := t.master.Read(buffer)
		t.mu.Lock()
		t.screen.write(string(buffer[:n]))
		t.raw.Write(buffer[:n])
		t.mu.Unlock()
		select {
		case t.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// until waits until the screen is as it should be.
func (t *tty) until(what string, is func(*screen) bool) {
	t.Helper()
	late := time.After(patience)
	for {
		t.mu.Lock()
		done, shown := is(t.screen), t.screen.String()
		t.mu.Unlock()
		if done {
			return
		}
		select {
		case <-t.changed:
		case <-late:
			t.Fatalf("the screen never shows %s; it shows:\n%s", what, shown)
		}
	}
}

// shows waits for texts on the screen.
func (t *tty) shows(texts ...string) {
	t.Helper()
	for _, text := range texts {
		t.until(text, func(s *screen) bool { return strings.Contains(s.String(), text) })
	}
}

// hides waits until a text is no longer on the screen.
func (t *tty) hides(text string) {
	t.Helper()
	t.until("no "+text, func(s *screen) bool { return !strings.Contains(s.String(), text) })
}

func (t *tty) types(keys string) {
	t.Helper()
	if _, err := io.WriteString(t.master, keys); err != nil {
		t.Fatal(err)
	}
}

// ends waits for the end of the command, and returns its exit code. The terminal must be as it was.
func (t *tty) ends() int {
	t.Helper()
	select {
	case <-t.ended:
	case <-time.After(patience):
		t.Fatalf("it does not end; the screen shows:\n%s", t.screen)
	}
	after, err := term.GetState(int(t.slave.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if *after != *t.before {
		t.Errorf("the terminal is not set as it was: %+v, was %+v", after, t.before)
	}
	t.until("the screen of the shell, with a cursor", func(s *screen) bool { return !s.alternate && !s.hidden })
	return t.cmd.ProcessState.ExitCode()
}

const (
	downKey, left        = "\x1b[B", "\x1b[D"
	enter, escape, ctrlC = "\r", "\x1b", "\x03"
)
