package agent

import (
	"bytes"
	"io"
)

// lines writes whole lines, each with something before it, so that the output of several commands can be told apart.
type lines struct {
	to     io.Writer
	before string
	rest   []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		at := bytes.IndexByte(l.rest, '\n')
		if at < 0 && len(l.rest) < 64<<10 {
			return len(p), nil
		}
		end := at + 1
		if at < 0 {
			end = len(l.rest)
		}
		line := bytes.TrimSuffix(l.rest[:end], []byte("\n"))
		if _, err := io.WriteString(l.to, l.before+string(line)+"\n"); err != nil {
			return 0, err
		}
		l.rest = l.rest[end:]
	}
}
