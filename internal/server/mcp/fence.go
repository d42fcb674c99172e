package mcp

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// A model does not handle fences: it names a task, and the fence of its claim is sent automatically. A worker that
// slept past its lease then finds out from the 409, and cannot overwrite its successor.

// holds are the claims of one worker, by task.
type holds struct {
	mu    sync.Mutex
	tasks map[string]*hold // by id, and by key if it is known
}

type hold struct {
	id    string
	fence int64
	lost  bool // a write under it was a conflict
}

func newHolds() *holds { return &holds{tasks: map[string]*hold{}} }

// fence returns the fence for an operation on a task, or nil.
func (h *holds) fence(o *op.Op, name string) *int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	held, ok := h.tasks[name]
	if !ok || held.lost && o.Tool.Remark {
		return nil
	}
	return new(held.fence)
}

// learn updates the claims from an answer.
func (h *holds) learn(name string, out any, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		if held, ok := h.tasks[name]; ok && fault.Is(err, fault.Conflict) {
			held.lost = true
		}
		return
	}
	switch out := out.(type) {
	case work.NextOut:
		h.chosen(&out)
	case work.MoveOut:
		if out.Task != nil && out.Task.Claim == nil {
			delete(h.tasks, string(out.Task.ID))
			delete(h.tasks, out.Task.Key)
		}
		h.chosen(out.Next)
	case work.ClaimOut:
		h.took(out.Record(), name)
	case work.ReleaseOut:
		h.gone(name)
	case work.AskOut:
		if out.Released {
			h.gone(name)
		}
		h.chosen(out.Next)
	}
}

// gone forgets a claim, by all names of its task.
func (h *holds) gone(name string) {
	gone := h.tasks[name]
	for other, held := range h.tasks {
		if held == gone {
			delete(h.tasks, other)
		}
	}
}

func (h *holds) chosen(out *work.NextOut) {
	if out == nil || out.Claimed == nil {
		return
	}
	name := ""
	if out.Task != nil {
		name = out.Task.Key
	}
	h.took(*out.Claimed, name)
}

// took adds a claim, under another name of its task too if that is known.
func (h *holds) took(c task.Claim, name string) {
	held := &hold{id: string(c.Task), fence: c.Fence}
	h.tasks[held.id] = held
	if name != "" {
		h.tasks[name] = held
	}
}

// left returns the claims that nobody has ended yet, ordered by task.
func (h *holds) left() []hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []hold
	for name, held := range h.tasks {
		if name == held.id && !held.lost {
			all = append(all, *held)
		}
	}
	slices.SortFunc(all, func(a, b hold) int { return strings.Compare(a.id, b.id) })
	return all
}

// leaving bounds how long giving tasks back may take at the end.
const leaving = 10 * time.Second

// giveBack releases what a worker still holds when it leaves. It leaves no note: the log says who released it, and a note is
// for what a worker has to say. A task that cannot be released now becomes free when its
// lease ends.
func (s *Server) giveBack(ctx context.Context, held *holds) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer cancel()
	client, _ := s.client.Load().(string)
	ctx, err := s.acting(ctx, client)
	if err != nil {
		return
	}
	for _, h := range held.left() {
		_, _ = op.Release.Do(ctx, s.opts.Ops, work.ReleaseIn{Task: h.id, Fence: &h.fence})
	}
}

// fence sets the fence of the caller's claim on the task that an input names, if the operation takes one and none was
// given. It returns the name of the task.
func (s *Server) fence(ctx context.Context, o *op.Op, in reflect.Value, held *holds) (id string, err error) {
	name, fence := in.FieldByName("Task"), in.FieldByName("Fence")
	if !name.IsValid() || name.Kind() != reflect.String {
		return "", nil
	}
	id = name.String()
	if !fence.IsValid() || fence.Kind() != reflect.Pointer || !fence.IsNil() {
		return id, nil
	}
	var found *int64
	if held != nil {
		found = held.fence(o, id)
	} else if !o.Tool.Remark {
		found, err = s.ownFence(ctx, id)
	}
	fence.Set(reflect.ValueOf(found))
	return id, err
}

// ownFence looks up the fence of the caller's own claim on a task, or returns nil if it has none. A name that is not a
// task's id is left to the operation.
func (s *Server) ownFence(ctx context.Context, id string) (*int64, error) {
	project, _, ok := task.ParseID(id)
	if !ok {
		return nil, nil
	}
	me, err := op.Whoami.Do(ctx, s.opts.Ops, reading.WhoamiIn{Project: project})
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, h := range me.Holding {
		if string(h.Task) == id && h.Actor == me.Full() {
			return &h.Fence, nil
		}
	}
	return nil, nil
}
