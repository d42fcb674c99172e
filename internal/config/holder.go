package config

import (
	"bytes"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tasker/internal/fault"
)

// Holder keeps the configuration of a server current: each Current checks whether a file has changed, which costs a few
// calls of stat, and only then reads again. A file that has become invalid, or is gone, does not replace the running
// configuration: the last good one stays, and Problem says why. (A file that disappears for a moment while it is saved
// must not open a server that the file had closed.)
type Holder struct {
	opts  Options
	state atomic.Pointer[held]

	mu    sync.Mutex
	again *rereading // nil while nobody reads again
}

// rereading is one goroutine that reads the files again.
type rereading struct {
	done chan struct{}
	late chan struct{} // closed when it takes so long that nobody else waits for it
}

// lateAfter is how long requests wait for the one that reads again. A file that is read at all takes a fraction of that; a
// disk that does not answer must not stop the server.
const lateAfter = time.Second

// held is one reading: the effective configuration, and the state of the files.
type held struct {
	loaded  *Loaded
	problem error
	stamps  []stamp
	young   bool // a file was so fresh that its stamp could hide a second change
}

// stamp is the state of a file when it was read. text is kept to detect a second change within the clock's resolution.
type stamp struct {
	path    string
	info    fs.FileInfo // nil if there was no file
	err     error       // from stat
	read    bool
	text    []byte
	readErr error
}

// grain is the time within which two changes of a file can carry the same stamp.
const grain = 2 * time.Second

// NewHolder reads the configuration for the first time. It returns an error if that is faulty.
func NewHolder(o Options) (*Holder, error) {
	h := &Holder{opts: o}
	first := h.read(nil)
	if first.problem != nil {
		return nil, first.problem
	}
	h.state.Store(first)
	return h, nil
}

// Current returns the configuration of the current files, or the last good one.
func (h *Holder) Current() *Loaded { return h.fresh().loaded }

// Problem returns why the current configuration is not the one in the files, or nil if it is.
func (h *Holder) Problem() error { return h.fresh().problem }

// fresh returns the reading of the current files. While another request reads them it waits for that, up to lateAfter, and
// then returns the last reading.
func (h *Holder) fresh() *held {
	for {
		s := h.state.Load()
		if !h.changed(s) {
			return s
		}
		h.mu.Lock()
		other := h.again
		if other == nil {
			return h.reread() // and unlock
		}
		h.mu.Unlock()
		select {
		case <-other.done:
		case <-other.late:
			return s
		}
	}
}

// reread reads the files unless another request has just done so. The lock is held, and not while it reads.
func (h *Holder) reread() *held {
	s := h.state.Load()
	mine := &rereading{done: make(chan struct{}), late: make(chan struct{})}
	h.again = mine
	h.mu.Unlock()
	late := time.AfterFunc(lateAfter, func() { close(mine.late) })
	defer func() {
		late.Stop()
		h.mu.Lock()
		h.again = nil
		h.mu.Unlock()
		close(mine.done)
	}()
	if h.changed(s) {
		s = h.read(s)
		h.state.Store(s)
	}
	return s
}

// changed reports whether any file behind the reading looks different now.
func (h *Holder) changed(s *held) bool {
	if s.young {
		return true // cheap enough: read compares the texts and keeps the results
	}
	return slices.ContainsFunc(s.stamps, func(was stamp) bool {
		info, err := h.opts.Files.Stat(was.path)
		return !same(was.info, info, err)
	})
}

func same(was, is fs.FileInfo, err error) bool {
	if was == nil || err != nil {
		return was == nil && err != nil
	}
	if was.IsDir() && is.IsDir() { // a .git directory that is written to all the time
		return true
	}
	return was.ModTime().Equal(is.ModTime()) && was.Size() == is.Size() && was.IsDir() == is.IsDir() && sameFile(was, is)
}

// read reads everything again, and notes the state of every file involved.
func (h *Holder) read(last *held) *held {
	look := &lookout{Files: h.opts.Files}
	o := h.opts
	o.Files = look
	s := search{o: &o}
	err := s.run()
	for _, file := range []string{s.file, s.local} {
		if err == nil && file != "" {
			_, _ = look.ReadFile(file)
		}
	}
	next := &held{stamps: look.seen, young: look.young(o.Now)}
	switch {
	case err == nil && last != nil && sameTexts(last, next):
		next.loaded, next.problem = last.loaded, last.problem
		return next
	case err == nil && last != nil && last.loaded.File != "" && !there(h.opts.Files, last.loaded.File):
		err = fault.Bad("%s is gone, and what it said stays in force", last.loaded.File).
			WithHint("put it back, or restart to run without it")
	case err == nil:
		next.loaded, err = load(&o, &s)
	}
	if err != nil {
		next.problem = fault.Of(err)
		if last != nil {
			next.loaded = last.loaded
		}
	}
	return next
}

func sameTexts(a, b *held) bool {
	return slices.EqualFunc(a.stamps, b.stamps, func(x, y stamp) bool {
		return x.path == y.path && (x.info == nil) == (y.info == nil) && x.read == y.read && bytes.Equal(x.text, y.text)
	})
}

func there(files Files, path string) bool {
	_, err := files.Stat(path)
	return err == nil
}

// lookout notes each file that is looked at, and reads each only once. It takes the stamp before the text, so that a
// change in between is noticed the next time.
type lookout struct {
	Files
	seen []stamp
}

func (l *lookout) note(name string) *stamp {
	for i := range l.seen {
		if l.seen[i].path == name {
			return &l.seen[i]
		}
	}
	st := stamp{path: name}
	if st.info, st.err = l.Files.Stat(name); st.err != nil {
		st.info = nil
	}
	l.seen = append(l.seen, st)
	return &l.seen[len(l.seen)-1]
}

// Stat returns the result of the first call.
func (l *lookout) Stat(name string) (fs.FileInfo, error) {
	st := l.note(name)
	return st.info, st.err
}

// ReadFile returns the result of the first reading.
func (l *lookout) ReadFile(name string) ([]byte, error) {
	st := l.note(name)
	if !st.read {
		st.text, st.readErr = l.Files.ReadFile(name)
		st.read = true
	}
	return st.text, st.readErr
}

// young reports whether a file is so fresh that it could change again under the same stamp.
func (l *lookout) young(now func() time.Time) bool {
	return now != nil && slices.ContainsFunc(l.seen, func(st stamp) bool {
		return st.info != nil && !st.info.IsDir() && now().Sub(st.info.ModTime()) < grain
	})
}
