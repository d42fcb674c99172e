package db

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// memory is what a process knows of the log beyond the newest event, and what a server keeps of it in a file, so that
// neither a restart nor a log that has grown hides that events are gone.
type memory struct {
	untold atomic.Bool // events are gone, and the database does not say so yet

	mu      sync.Mutex
	looked  bool    // for what an earlier process kept
	points  []Point // of the log of generation, oldest first
	of      history // the state of the newest point
	written int     // how often the file was written
}

// maxPoints is how many points are kept: the older, the further apart.
const maxPoints = 32

// maxMemory limits the size of the file, in bytes.
const maxMemory = 4 << 10

// add remembers a state of the database, and reports whether it is news.
func (m *memory) add(now history) bool {
	if now == m.of {
		return false
	}
	if now.instance != m.of.instance || now.generation != m.of.generation {
		m.points = nil
	}
	m.of = now
	m.points = append(m.points, Point{now.last, now.sum})
	if len(m.points) > maxPoints { // every second one of the older half goes
		kept := m.points[:0]
		for i, p := range m.points {
			if i >= maxPoints/2 || i%2 == 0 {
				kept = append(kept, p)
			}
		}
		m.points = kept
	}
	return true
}

// text is the content of the file. Its last line shows that it was written to the end.
func (m *memory) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d\n", m.of.instance, m.of.generation)
	for _, p := range m.points {
		fmt.Fprintf(&b, "%d %d\n", p.Event, p.Sum)
	}
	return b.String() + "end\n"
}

// remembered reads such a text; ok is false if it is not whole.
func remembered(text string) (of history, points []Point, ok bool) {
	whole, ok := strings.CutSuffix(text, "\nend\n")
	if !ok {
		return of, nil, false
	}
	for i, line := range strings.Split(whole, "\n") {
		left, right, _ := strings.Cut(line, " ")
		a, err1 := strconv.ParseInt(left, 10, 64)
		b, err2 := strconv.ParseInt(right, 10, 64)
		switch {
		case err1 != nil || err2 != nil:
			return of, nil, false
		case i == 0:
			of.instance, of.generation = a, b
		default:
			of.last, of.sum, points = a, b, append(points, Point{a, b})
		}
	}
	return of, points, len(points) > 0
}

// memoryPaths returns the two files in which servers of this machine keep what they remember of a database; none without a
// directory. They are written in turn, so that one is whole when the machine stops in the middle of the other.
func (db *DB) memoryPaths(instance int64) []string {
	dir, place := db.engine.Setup().Memory, db.engine.Place()
	if dir == "" || place == "" {
		return nil
	}
	name := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s", instance, place)))[:32]
	return []string{filepath.Join(dir, name+".0"), filepath.Join(dir, name+".1")}
}

// recollect looks, once, for what a server on this machine remembers of the database, and reports whether there is something:
// then it counts as seen by this process.
func (db *DB) recollect(h Head) bool {
	if h.Instance == 0 {
		return false
	}
	m := &db.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.looked {
		return false
	}
	m.looked = true
	for _, path := range db.memoryPaths(h.Instance) {
		text, err := db.world.Files.Begin(path, maxMemory)
		if err != nil {
			continue // most often, no server has run here
		}
		of, points, ok := remembered(string(text))
		if ok && of.instance == h.Instance && (of.generation > m.of.generation || of.generation == m.of.generation && of.last > m.of.last) {
			m.of, m.points = of, points
		}
	}
	return m.points != nil && db.seen.CompareAndSwap(nil, &m.of)
}

// remember keeps the newest state of the database for later processes. A server calls it every second.
func (db *DB) remember() {
	was := db.seen.Load()
	if was == nil {
		return
	}
	m := &db.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	paths := db.memoryPaths(was.instance)
	if !m.add(*was) || len(paths) == 0 {
		return
	}
	err := db.world.Files.MakeDirs(filepath.Dir(paths[0]))
	if err == nil {
		err = db.world.Files.Write(paths[m.written%2], []byte(m.text()))
	}
	if err != nil && m.written == 0 {
		db.engine.Setup().Notice("what is known of the log cannot be kept for the next start: " + err.Error())
	}
	m.written++
}

// rememberLast keeps what was seen since the last second for later processes, if this one kept something before: an older
// file that is put back while no server runs would else lack only what the last second wrote, and nobody would know.
func (db *DB) rememberLast() {
	db.memory.mu.Lock()
	keeps := db.memory.written > 0
	db.memory.mu.Unlock()
	if keeps {
		db.remember()
	}
}

// testify writes into the database which of the events that this process remembers it does not have, for everybody who comes
// later and remembers less: a server that is restarted, another one, or a command.
func (db *DB) testify() {
	was := db.seen.Load()
	if was == nil || !db.memory.untold.Load() {
		return
	}
	db.turning <- struct{}{}
	defer func() { <-db.turning }()
	tx, err := db.engine.Begin(db.waits, Asking{Who: "note of lost events", Known: true, Recall: was.newest(), Patience: db.patience})
	if err != nil { // it is tried again, and stays an outage meanwhile
		return
	}
	defer tx.Rollback()
	h := tx.Head()
	lost := was.missing(h)
	if lost.To == 0 || h.Schema != db.engine.Latest() {
		return
	}
	if lost.From == 0 {
		lost.From = db.fork(tx, h)
	}
	lost = h.Lost.with(lost)
	_ = tx.Exec(1, `UPDATE turn SET lost_from = $1, lost_to = $2 WHERE id = 1`, lost.From, lost.To)
	if tx.Commit(h) == nil {
		db.memory.untold.Store(false)
	}
}

// fork returns the first event that may differ from the remembered log: the one after the newest point that the log still
// has.
func (db *DB) fork(c Conn, h Head) int64 {
	db.memory.mu.Lock()
	defer db.memory.mu.Unlock()
	first := int64(1)
	if h.Generation != db.memory.of.generation {
		return first
	}
	for _, p := range db.memory.points {
		there := false
		if err := c.Query(`SELECT sum FROM event WHERE id = $1`, []any{p.Event}, func(r Row) error { there = r.Int(0) == p.Sum; return nil }); err != nil {
			return first
		}
		if there {
			first = p.Event + 1
		}
	}
	return first
}
