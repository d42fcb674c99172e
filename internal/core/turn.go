package core

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Write runs fn in a turn, in the caller's name. If the idempotency key was used before, it returns the stored answer
// without running fn, so T must survive JSON. fn may run more than once.
func Write[T any](ctx context.Context, s *Env, fn func(*store.Tx) (T, error)) (T, error) {
	out, replayed, err := turn(ctx, s, By(ctx), fn)
	if err == nil && !replayed {
		_ = s.NoticeDrift(ctx) // the operation itself has succeeded; the next write checks again
		s.HearOf(ctx, s.written())
	}
	return out, err
}

// WriteBy is Write in a name other than the caller's.
func WriteBy[T any](ctx context.Context, s *Env, who task.By, fn func(*store.Tx) (T, error)) (T, error) {
	out, _, err := turn(ctx, s, who, fn)
	return out, err
}

func turn[T any](ctx context.Context, s *Env, who task.By, fn func(*store.Tx) (T, error)) (out T, replayed bool, err error) {
	err = s.Turn(ctx, who, func(tx *store.Tx) (err error) {
		out, replayed, err = once(CallerOf(ctx).Idem, tx, fn)
		return err
	})
	return out, replayed, s.advise(ctx, err)
}

// once runs fn, or returns the answer that was stored under the key.
func once[T any](idem *Idem, tx *store.Tx, fn func(*store.Tx) (T, error)) (out T, replayed bool, err error) {
	if idem != nil {
		if replayed, err = Replay(tx, *idem, &out); err != nil || replayed {
			return out, replayed, err
		}
	}
	if out, err = fn(tx); err != nil {
		return out, false, rememberRefusal(idem, tx, err)
	}
	if idem != nil {
		err = remember(tx, *idem, out)
	}
	return out, false, err
}

// WriteThen is Write followed by a short read, which composes the answer from a snapshot after the turn. A caller whose
// context has ended in the meantime still gets an answer, because it may hold a task now. If that read fails, the change is
// made all the same: the answer is then what bare makes of the turn alone, with a warning (Unread). bare returns false if the
// turn changed nothing for the caller, who gets the error and can ask again.
func WriteThen[T, A any](ctx context.Context, s *Env, fn func(*store.Tx) (T, error), then func(*store.Tx, T) (A, error),
	bare func(T) (A, bool),
) (out A, err error) {
	var kept T
	var replayed bool
	made, err := s.TurnThen(ctx, By(ctx), func(tx *store.Tx) (err error) {
		kept, replayed, err = once(CallerOf(ctx).Idem, tx, fn)
		return err
	}, func(tx *store.Tx) (err error) {
		out, err = then(tx, kept)
		return err
	})
	if made && !replayed {
		_ = s.NoticeDrift(ctx) // as in Write
		if err != nil {
			if short, changed := bare(kept); changed {
				s.Unread(err)
				return short, nil
			}
		}
	}
	return out, s.advise(ctx, err)
}

// Completed runs the read that completes the answer to a write that was made. If it fails, the answer is without, and comes
// with a warning (Unread).
func Completed[T any](ctx context.Context, s *Env, without T, fn func(*store.Tx) (T, error)) T {
	out, err := Read(Uncharged(ctx), s, fn)
	if err != nil {
		s.Unread(err)
		return without
	}
	return out
}

// Replay reads the stored answer for a key. A different body under the same key is refused.
func Replay[T any](tx *store.Tx, idem Idem, out *T) (bool, error) {
	kept, err := tx.Remembered(idem.Key)
	if err != nil || kept == nil {
		return false, err
	}
	if kept.Digest != idem.Digest {
		return false, fault.Decline("the idempotency key %q was used for another request", idem.Key.Key).
			WithHint("use a new key for a new request; a key is kept for 24 hours")
	}
	if text, ok := bytes.CutPrefix(kept.Answer, []byte(refused)); ok {
		var stored storedRefusal
		if err := json.Unmarshal(text, &stored); err != nil {
			return false, err
		}
		return false, stored.Error.WithParts(stored.Parts)
	}
	return true, json.Unmarshal(kept.Answer, out)
}

// refused begins the stored answer of a refused request. No JSON begins like this.
const refused = "refused "

// storedRefusal is a refusal as it is stored, with the parts of its hint.
type storedRefusal struct {
	Error fault.Error
	Parts fault.Text
}

// rememberRefusal stores a refusal that recorded something, like an answer, so that a repeated request does not record
// it again. It returns the refusal.
func rememberRefusal(idem *Idem, tx *store.Tx, refusal error) error {
	e := fault.Of(refusal)
	if idem == nil || len(e.Recorded) == 0 {
		return refusal
	}
	text, err := json.Marshal(storedRefusal{*e, e.HintParts()})
	if err != nil {
		return err
	}
	if err := tx.Remember(idem.Key, query.StoredAnswer{Digest: idem.Digest, Answer: append([]byte(refused), text...)}); err != nil {
		return err
	}
	return refusal
}

func remember[T any](tx *store.Tx, idem Idem, out T) error {
	answer, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return tx.Remember(idem.Key, query.StoredAnswer{Digest: idem.Digest, Answer: answer})
}

// Read runs fn on one snapshot: the one from Env.On, or a new one. fn may run more than once.
func Read[T any](ctx context.Context, s *Env, fn func(*store.Tx) (T, error)) (out T, err error) {
	if s.on != nil {
		return fn(s.on)
	}
	err = s.Snapshot(ctx, func(tx *store.Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, s.advise(ctx, err)
}

// Snapshot runs fn on one snapshot of what the caller may see. fn may run more than once.
func (s *Env) Snapshot(ctx context.Context, fn func(*store.Tx) error) error {
	c := CallerOf(ctx)
	return s.Store.ReadFor(ctx, named(ctx, By(ctx)), c.Charge, s.within(ctx, fn))
}

// Turn runs fn in a turn, within what the caller may see, and returns after the commit. It refuses a read-only caller.
// Every operation writes through Turn or TurnThen, so none can forget that check.
func (s *Env) Turn(ctx context.Context, by task.By, fn func(*store.Tx) error) error {
	if CallerOf(ctx).Scope.ReadOnly {
		return MayOnlyRead()
	}
	return s.Store.Write(ctx, named(ctx, by), s.within(ctx, s.placing(ctx, s.admitting(ctx, fn))))
}

// TurnThen is Turn followed by a short read for the answer: then sees a snapshot that begins after the commit, even if
// ctx has ended in the meantime. Answers of several turns may share a snapshot. made reports that the turn was committed,
// so that err is that of the read alone.
func (s *Env) TurnThen(ctx context.Context, by task.By, fn, then func(*store.Tx) error) (made bool, err error) {
	if CallerOf(ctx).Scope.ReadOnly {
		return false, MayOnlyRead()
	}
	return s.Store.WriteThen(ctx, named(ctx, by), s.within(ctx, s.placing(ctx, s.admitting(ctx, fn))), s.within(ctx, then))
}

// named returns by, with the running operation added.
func named(ctx context.Context, by task.By) task.By {
	by.Doing = CallerOf(ctx).Doing
	return by
}

// within limits a transaction to what the caller may see, and words its refusals for the caller. Every operation passes
// here, so none can forget either.
func (s *Env) within(ctx context.Context, fn func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		tx.Within(CallerOf(ctx).Scope.Projects)
		err := fn(tx)
		if err != nil {
			s.word(ctx, tx, err)
		}
		return err
	}
}

// word phrases the hint of a refusal for the caller: an agent may have to read who can do something, and not how.
func (s *Env) word(ctx context.Context, tx *store.Tx, refusal error) {
	e := fault.Of(refusal)
	slug, ok := e.HumansOf()
	if !ok {
		return
	}
	reader := fault.Reader{Agent: true, Humans: "a human"} // to be safe, if nobody can tell who reads it
	if p, err := tx.Project(slug); err == nil {
		if a, pol, err := s.Rules(ctx, tx, p); err == nil {
			reader = pol.Reader(a)
		}
	}
	e.For(reader)
}

// errTakenBack is the cause of the error of TakeBack.
var errTakenBack = errors.New("nothing is to be written")

// TakeBack returns the error that rolls a turn back and keeps its answer.
func TakeBack() error { return fault.Decline("nothing is written").WithCause(errTakenBack) }

// WriteUnless is Write, or, if dry is set, a turn that runs completely and is then rolled back: it is refused and
// answered exactly like Write, but nothing is written.
func WriteUnless[T any](ctx context.Context, s *Env, dry bool, fn func(*store.Tx) (T, error)) (T, error) {
	if !dry {
		return Write(ctx, s, fn)
	}
	return answered(ctx, s, By(ctx), func(tx *store.Tx) (T, error) {
		out, err := fn(tx)
		return out, cmp.Or(err, TakeBack())
	})
}

// WriteAlone is WriteBy in the caller's name, in a turn that nobody else shares. If fn ends with TakeBack, nothing is
// written, and its answer is returned.
func WriteAlone[T any](ctx context.Context, s *Env, fn func(*store.Tx) (T, error)) (T, error) {
	who := By(ctx)
	who.Alone = true
	return answered(ctx, s, who, fn)
}

// WriteAccepting is WriteAlone on a database whose log was rewound, which answers nobody else.
func WriteAccepting[T any](ctx context.Context, s *Env, fn func(*store.Tx) (T, error)) (T, error) {
	who := By(ctx)
	who.Accepts = true
	return answered(ctx, s, who, fn)
}

// answered is WriteBy, except that it returns the answer of a turn that ends with TakeBack.
func answered[T any](ctx context.Context, s *Env, who task.By, fn func(*store.Tx) (T, error)) (T, error) {
	var answer T
	out, err := WriteBy(ctx, s, who, func(tx *store.Tx) (_ T, err error) {
		answer, err = fn(tx)
		return answer, err
	})
	if errors.Is(err, errTakenBack) {
		return answer, nil
	}
	return out, err
}

// admitting runs a write, and records a human on the first write to a project.
//
// A human whom only the file here declares counts as one until the project knows the name. From then on the record
// decides, and it would know the human as an agent. The record admits only people: nobody in an agent's shell or behind
// tools, and nobody who has written before, because that may have been an agent under the same name.
func (s *Env) admitting(ctx context.Context, fn func(*store.Tx) error) func(*store.Tx) error {
	c := CallerOf(ctx)
	if !c.Actor.Person() || c.Via.Agent != "" || c.Via.Face == "mcp" {
		return fn
	}
	return func(tx *store.Tx) error {
		before := tx.LastEvent()
		err := fn(tx)
		if err != nil && !fault.Is(err, fault.Declined) || tx.LastEvent() == before {
			return err
		}
		for _, slug := range tx.Known() { // also after a refusal, which may keep what it wrote
			if failed := s.admit(tx, slug, c.Actor, before); failed != nil && err == nil {
				err = failed
			}
		}
		return err
	}
}

// admit adds an actor to the record of a project if its first event there is later than the event before.
func (s *Env) admit(tx *store.Tx, slug string, a task.Actor, before int64) error {
	p, err := tx.Project(slug)
	if fault.Is(err, fault.NotFound) { // renamed or deleted by this write
		return nil
	}
	if err != nil {
		return err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return err
	}
	here, err := s.Settings.ActorIn(p, a)
	if err != nil || !here.Person() || !known.Asks(here) {
		return err
	}
	declared, _ := s.Settings.FilePolicy(p.Slug)
	after := *p
	var ok bool
	if after.Policy, ok = config.Admit(p.Policy, declared, a.Name); !ok {
		return nil
	}
	if a, _, err := s.Settings.ByRecord(&after, a); err != nil || !a.Human { // settings in the database replace the record's actors
		return err
	}
	if wrote, err := tx.WroteUntil(p.Slug, a.Name, before); err != nil || wrote {
		return err
	}
	if wrote, err := tx.Wrote(p.Slug, a.Name); err != nil || !wrote {
		return err
	}
	return tx.SaveProject(p, &after, ProjectUpdated(task.Payload{
		"policy": task.Delta{From: jsontext.Value(p.Policy), To: jsontext.Value(after.Policy)},
	}))
}
