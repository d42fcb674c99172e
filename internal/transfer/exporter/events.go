package exporter

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// EventLines writes events as an archive: a line of JSON for each, as GET /v1/events returns them,
// and a last line that shows whether the archive was truncated or changed:
//
//	{"count":120,"sha256":"…"}
type EventLines struct {
	w   io.Writer
	sum hash.Hash
	n   int
}

// NewEventLines returns an archive that writes to w.
func NewEventLines(w io.Writer) *EventLines { return &EventLines{w: w, sum: sha256.New()} }

// eventsEnd is the last line of an archive.
type eventsEnd struct {
	Count int    `json:"count"`
	Sum   string `json:"sha256"` // of the lines before it
}

// Add writes an event.
func (l *EventLines) Add(ev *task.Event) error {
	line, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	_, _ = l.sum.Write(line) // a hash never fails
	l.n++
	_, err = l.w.Write(line)
	return err
}

// End writes the last line, and returns the checksum of the lines before it.
func (l *EventLines) End() (string, error) {
	end := eventsEnd{l.n, fmt.Sprintf("%x", l.sum.Sum(nil))}
	line, err := json.Marshal(end)
	if err == nil {
		_, err = l.w.Write(append(line, '\n'))
	}
	return end.Sum, err
}

// maxEventLine is how many bytes the line of an event may take.
const maxEventLine = 64 << 20

// CheckEvents reads an archive to its end and refuses it unless it is complete: every line an event
// that follows the one before it, as many events as the last line counts, and the right checksum.
func CheckEvents(r io.Reader) (count int, sum string, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxEventLine)
	total, last, ended := sha256.New(), int64(0), false
	for lines.Scan() {
		var line struct {
			ID int64 `json:"id"`
			eventsEnd
		}
		switch err := json.Unmarshal(lines.Bytes(), &line); {
		case ended, err != nil, line.Sum == "" && line.ID <= last:
			return 0, "", broken("line %d is not the next event", count+1)
		case line.Sum != "":
			sum, ended = fmt.Sprintf("%x", total.Sum(nil)), true
			if line.Count != count || line.Sum != sum {
				return 0, "", broken("its last line belongs to other events")
			}
		default:
			last, count = line.ID, count+1
			_, _ = total.Write(lines.Bytes()) // a hash never fails
			_, _ = total.Write([]byte{'\n'})
		}
	}
	if err := lines.Err(); err != nil {
		return 0, "", err
	}
	if !ended {
		return 0, "", broken("its end is missing")
	}
	return count, sum, nil
}

func broken(format string, args ...any) error {
	return fault.Bad("the archive is not complete: %s", fmt.Sprintf(format, args...)).WithHint("write it again, to another disk if this one loses data")
}
