package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// call is one line of DIR/calls.jsonl: a command, or a call of a tool.
type call struct {
	What  string `json:"what"`  // the command's words, or the tool's name
	Tool  bool   `json:"tool"`  // it came through `tasker mcp`
	As    string `json:"as"`    // who it claimed to be: --actor, or TASKER_ACTOR
	Bytes int    `json:"bytes"` // of everything that it answered
	Code  int    `json:"code"`  // the exit code; 1 for the refusal of a tool
}

// identity returns who a command claims to be.
func identity(args []string) string {
	for i, a := range args {
		if a == "--" {
			break
		}
		if name, ok := strings.CutPrefix(a, "--actor="); ok {
			return name
		}
		if a == "--actor" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return os.Getenv("TASKER_ACTOR")
}

// record runs the real tasker with the same arguments, records what it answered, and lets the person of the plan act. It
// returns the exit code.
func record(args []string) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "field:", err)
		return 1
	}
	dir := filepath.Dir(filepath.Dir(self))
	p, program, err := placed(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "field:", err)
		return 1
	}
	l := &ledger{path: filepath.Join(dir, "calls.jsonl"), as: identity(args), then: func() { p.act(dir, program) }}
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if len(args) > 0 && args[0] == "mcp" {
		return l.tools(cmd)
	}
	counted := &counter{}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, counted), io.MultiWriter(os.Stderr, counted)
	code := exitCode(cmd.Run())
	l.add(call{What: strings.Join(args, " "), Bytes: counted.n, Code: code})
	return code
}

// ledger appends calls to a file, and calls then after each.
type ledger struct {
	path string
	as   string
	then func()
	mu   sync.Mutex
}

func (l *ledger) add(c call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.As = l.as
	appendLine(l.path, c)
	l.then()
}

// appendLine adds a line of JSON to a file.
func appendLine(path string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "field:", err)
		return
	}
	_, _ = f.Write(append(text, '\n'))
	_ = f.Close()
}

// message holds the parts of the tool protocol that are read, one message per line.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
	Result struct {
		IsError bool            `json:"isError"`
		Content json.RawMessage `json:"content"`
	} `json:"result"`
}

// tools is between a client and `tasker mcp`, passes every line on, and records what each call answered.
func (l *ledger) tools(cmd *exec.Cmd) int {
	cmd.Stdin, cmd.Stdout = nil, nil
	to, err := cmd.StdinPipe()
	if err != nil {
		return 1
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return 1
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "field:", err)
		return 1
	}
	var mu sync.Mutex
	asked := map[string]string{}
	go func() {
		each(os.Stdin, to, func(m message) {
			if m.Method != "" && len(m.ID) > 0 {
				mu.Lock()
				asked[string(m.ID)] = strings.TrimSpace(m.Method + " " + m.Params.Name)
				mu.Unlock()
			}
		})
		_ = to.Close()
	}()
	eachSized(from, os.Stdout, func(m message, size int) {
		mu.Lock()
		what, ok := asked[string(m.ID)]
		delete(asked, string(m.ID))
		mu.Unlock()
		if !ok || m.Method != "" {
			return
		}
		c := call{What: what, Tool: true, Bytes: size}
		if name, isCall := strings.CutPrefix(what, "tools/call "); isCall {
			c.What, c.Bytes = name, contentBytes(m.Result.Content)
		}
		if m.Result.IsError {
			c.Code = 1
		}
		l.add(c)
	})
	return exitCode(cmd.Wait())
}

// contentBytes returns how many bytes of text an answer has.
func contentBytes(content json.RawMessage) (n int) {
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts)
	for _, p := range parts {
		n += len(p.Text)
	}
	return n
}

func each(from io.Reader, to io.Writer, fn func(message)) {
	eachSized(from, to, func(m message, _ int) { fn(m) })
}

// eachSized passes lines on, and calls fn with each before the other side gets it.
func eachSized(from io.Reader, to io.Writer, fn func(m message, size int)) {
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var m message
			if json.Unmarshal(bytes.TrimSpace(line), &m) == nil {
				fn(m, len(line))
			}
			if _, err := to.Write(line); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += len(p)
	return len(p), nil
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "field:", err)
	return 1
}
