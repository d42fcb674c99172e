// Package typed types what people type, right, wrong and half-known, and compares the whole answer with a golden file
// that was read line by line.
//
// A golden file is a transcript. A line that begins with "$ " is typed, and what follows up to the next one is what was
// shown, with standard error after standard output and, if it is not 0, the exit code last. A line that begins with "== "
// starts over in an empty directory with an empty database, and describes the terminal: its width (0 is a pipe) and
// lines, whether it has colours, and variables. `go test ./test/typed -update` rewrites the answers.
package typed

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// linesTyped is the minimum number of typed lines.
const linesTyped = 210

func TestWhatPeopleType(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no golden files", err)
	}
	typed := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		typed += bytes.Count(src, []byte("\n$ "))
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden"), func(t *testing.T) {
			got := retype(t, string(src))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(src) {
				t.Errorf("%s: what is shown is not what the file has; look at what `go test ./test/typed -update` changes:\n%s", file, firstDifference(string(src), got))
			}
		})
	}
	if typed < linesTyped {
		t.Errorf("%d lines are typed, and %d should be", typed, linesTyped)
	}
}

// retype returns a transcript with the answers of today.
func retype(t *testing.T, transcript string) string {
	t.Helper()
	var out strings.Builder
	var s *seat
	for line := range strings.Lines(transcript) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "== "):
			s = sitDown(t, strings.TrimPrefix(line, "== "))
			if out.Len() > 0 {
				out.WriteString("\n")
			}
			out.WriteString(line + "\n")
		case strings.HasPrefix(line, "# "):
			out.WriteString("\n" + line + "\n")
		case strings.HasPrefix(line, "$ ") && s != nil:
			out.WriteString(line + "\n" + s.enter(t, strings.TrimPrefix(line, "$ ")))
		}
	}
	return out.String()
}

// seat is where somebody types: a directory, a terminal, an environment.
type seat struct {
	dir   string
	width int
	lines int // of the terminal; 0: it is never too small
	color bool
	env   map[string]string
}

func sitDown(t *testing.T, described string) *seat {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &seat{dir: filepath.Join(dir, "fern"), env: map[string]string{"TASKER_DB": filepath.Join(dir, "tasker.db"), "HOME": dir, "TERM": "xterm"}}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(described) {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "width":
			if s.width, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
		case "lines":
			if s.lines, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
		case "color":
			s.color = true
		default:
			if strings.ToUpper(name) == name && value != "" {
				s.env[name] = value
			}
		}
	}
	if !s.color && s.env["NO_COLOR"] == "" && s.env["TERM"] == "xterm" {
		s.env["NO_COLOR"] = "1"
	}
	return s
}

// enter types a line and returns what is shown. In addition to tasker there is `cat > FILE <<TEXT` with \n for a line
// break, and `NAME=VALUE` for what follows; <<TEXT after a command is its standard input, and <<<TEXT is typed when it
// asks.
func (s *seat) enter(t *testing.T, line string) string {
	t.Helper()
	line, input, _ := strings.Cut(line, " <<")
	input, answers := strings.CutPrefix(input, "<")
	input = strings.ReplaceAll(strings.ReplaceAll(input, `\r`, "\r"), `\n`, "\n")
	args := split(line)
	switch {
	case args[0] == "cat":
		if err := os.WriteFile(filepath.Join(s.dir, args[2]), []byte(input), 0o644); err != nil {
			t.Fatal(err)
		}
		return ""
	case args[0] != "tasker":
		name, value, ok := strings.Cut(args[0], "=")
		if !ok {
			t.Fatalf("nobody types %q here", line)
		}
		s.env[name] = value
		return ""
	}
	var stdout, stderr bytes.Buffer
	var height func() int
	if s.lines > 0 {
		height = func() int { return s.lines }
	}
	code := cli.Main(frame.Process{
		Height: height,
		Args:   args[1:], Dir: s.dir, Stdin: strings.NewReader(input), Stdout: &stdout, Stderr: &stderr,
		Env: func(name string) (string, bool) {
			v, ok := s.env[name]
			return v, ok
		},
		Environ: func() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.env["HOME"]} },
		OutTTY:  s.width > 0, ErrTTY: s.width > 0, InTTY: s.width > 0 && (input == "" || answers),
		Width: func() int { return s.width }, Now: time.Now,
		User: func() string { return "ann" }, Host: func() string { return "desk" }, Program: "/usr/bin/tasker",
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, app.CommandLine())
	shown := s.steady(stdout.String() + stderr.String())
	if code != 0 {
		shown += fmt.Sprintf("(exit code %d)\n", code)
	}
	return shown
}

var (
	moments = regexp.MustCompile(`\b(?:\d+s ago|just now)`)
	inLog   = regexp.MustCompile(`(?m)^ +just now  `) // in a column of any width
	exactly = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)
	leasing = regexp.MustCompile(`\b(?:for|in) (?:1h 59m|2h)`)
	clock   = regexp.MustCompile(`\b\d\d:\d\d:\d\dZ`)
	took    = regexp.MustCompile(`(?m)\b\d+(?:\.\d+)?m?s$|\b\d+(?:\.\d+)?ms\b|"durationMs":\d+`)
	schema  = regexp.MustCompile(`tasker \d\S* \(schema \d+`)
	digests = regexp.MustCompile(`\b[0-9a-f]{40,64}\b`)
)

// steady returns what is shown without what differs between runs: moments, paths, the encoding of colours.
func (s *seat) steady(text string) string {
	text = strings.ReplaceAll(text, filepath.Dir(s.dir), "~")
	text = strings.ReplaceAll(text, "\x1b", "␛")
	text = strings.ReplaceAll(text, "\r", "␍")
	text = moments.ReplaceAllString(text, "just now")
	text = inLog.ReplaceAllString(text, "  just now  ")
	text = leasing.ReplaceAllString(text, "for 2h")
	text = exactly.ReplaceAllString(text, "THEN")
	text = clock.ReplaceAllString(text, "CLOCK")
	text = took.ReplaceAllString(text, "1ms")
	text = schema.ReplaceAllString(text, "tasker V (schema N")
	text = digests.ReplaceAllString(text, "DIGEST")
	for days := -8; days <= 14; days++ {
		text = strings.ReplaceAll(text, time.Now().AddDate(0, 0, days).Format(time.DateOnly), fmt.Sprintf("TODAY%+d", days))
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		if strings.HasPrefix(lines[i], "$ ") || strings.HasPrefix(lines[i], "== ") || strings.HasPrefix(lines[i], "# ") {
			lines[i] = " " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// split splits a line into words as a shell does, with quotes of both kinds and nothing else.
func split(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	in := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, in = r, true
		case quote == 0 && r == ' ':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words
}

// firstDifference shows where two texts diverge.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			from := max(0, i-4)
			return fmt.Sprintf("line %d, in the file:\n%s\nshown:\n%s", i+1, strings.Join(w[from:min(len(w), i+6)], "\n"), strings.Join(g[from:min(len(g), i+6)], "\n"))
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
