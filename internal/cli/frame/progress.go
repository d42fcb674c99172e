package frame

import (
	"sync"
	"sync/atomic"
	"time"
)

// Progress shows the progress of a long task, on a terminal and after its first second.
type Progress struct {
	f     *Factory
	what  string
	total int64
	done  atomic.Int64
	ended chan struct{}
	wait  sync.WaitGroup

	mu    sync.Mutex
	shown bool
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// Progress starts to show how much of total is done; with a total of 0 it shows only what is done. Call End when
// finished.
func (f *Factory) Progress(what string, total int64) *Progress {
	p := &Progress{f: f, what: what, total: total, ended: make(chan struct{})}
	if f.Process.ErrTTY && !f.Flags.Quiet && !f.Flags.JSON {
		p.wait.Go(p.paint)
	}
	return p
}

// Add adds to the amount that is done.
func (p *Progress) Add(n int64) { p.done.Add(n) }

// To sets the amount that is done.
func (p *Progress) To(n int) { p.done.Store(int64(n)) }

// Write prints text above the bar.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shown {
		return p.f.Err.Write(text)
	}
	p.f.Err.OverBar(string(text))
	return len(text), p.f.Err.Err()
}

// End removes the bar from the terminal.
func (p *Progress) End() {
	close(p.ended)
	p.wait.Wait()
}

func (p *Progress) paint() {
	pause := progressAfter
	for n := 0; ; n++ {
		select {
		case <-p.ended:
			if n > 0 {
				p.f.Err.EndBar()
			}
			return
		case <-time.After(pause):
		}
		p.bar(n)
		pause = progressEvery
	}
}

// bar paints the bar once more.
func (p *Progress) bar(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = true
	p.f.Err.Bar(p.what, p.done.Load(), p.total, n)
}
