package frame

import (
	"sync"
	"sync/atomic"
	"time"
)

// Progress shows how far something long has come, on a terminal and after its first second.
type Progress struct {
	f     *Factory
	what  string
	total int64
	done  atomic.Int64
	ended chan struct{}
	wait  sync.WaitGroup
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// Progress begins to show how much of total is done; with a total of 0 it shows what is done alone. End it.
func (f *Factory) Progress(what string, total int64) *Progress {
	p := &Progress{f: f, what: what, total: total, ended: make(chan struct{})}
	if !f.Process.ErrTTY || f.Flags.Quiet || f.Flags.JSON {
		return p
	}
	p.wait.Go(p.paint)
	return p
}

// Add counts what is done.
func (p *Progress) Add(n int64) { p.done.Add(n) }

// To says how much is done.
func (p *Progress) To(n int) { p.done.Store(int64(n)) }

// End takes what was shown off the terminal.
func (p *Progress) End() {
	close(p.ended)
	p.wait.Wait()
}

func (p *Progress) paint() {
	select {
	case <-p.ended:
		return
	case <-time.After(progressAfter):
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		p.f.Err.Bar(p.what, p.done.Load(), p.total, n)
		select {
		case <-p.ended:
			p.f.Err.EndBar()
			return
		case <-tick.C:
		}
	}
}
