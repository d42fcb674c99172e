package core

import (
	"context"
	"slices"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// Caller is who an operation runs for. The face determines the caller; no request names its own actor.
type Caller struct {
	Actor   task.Actor
	How     string // what decided the identity, for whoami: "--actor", "TASKER_ACTOR", …
	Via     task.Via
	Project string // the project to assume if a request names none; may be empty
	// Repo is the repository in which the command runs that opened the database; none for a request to a server.
	Repo task.Repository
	// Place finds out in which place the command runs, by asking git; nil for a request to a server.
	Place func(ctx context.Context) task.Place
	// Checkout is the work tree in which the command runs; none for a request to a server.
	Checkout task.Checkout
	// Session is the session of the agent that started the command or the tool server.
	Session task.AgentSession
	Idem    *Idem // the request's idempotency key, if it has one
	// Scope is what the caller may reach: the store shows nothing else, and accepts no write from a reader.
	Scope task.Scope
	// Assumed is set if nobody said who acts, so that the name is just that of the operating system's user.
	Assumed bool
	// Command is set if a command sent the request through a server.
	Command bool
	// Doing is the running operation, so that others can see what they wait for; empty if it has no name.
	Doing string
	// Listens is set if the caller wants the news that comes with an answer.
	Listens bool
	// Charge counts the bytes of records that reads load for the caller, while they load them; nil if nobody counts.
	// The store calls it (Env.Snapshot), so that no read can forget to. Its error ends the read: there is no room for
	// the answer.
	Charge func(bytes int64) error
}

// At returns the place in which the command runs; one that nobody knows for a request to a server.
func (c Caller) At(ctx context.Context) task.Place {
	if c.Place == nil {
		return task.Place{}
	}
	return c.Place(ctx)
}

// AtCommand reports whether the request comes from the command line, here or through a server.
func (c Caller) AtCommand() bool { return c.Via.Face == "cli" || c.Command }

// Idem is an idempotency key with the digest of the body it came with.
type Idem struct {
	Key    query.IdemKey
	Digest string
}

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller in the context, or an undeclared agent without a name.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Doing returns the context with the name of the operation that its caller runs: the table names its own operations,
// and callers that bypass the table name theirs.
func Doing(ctx context.Context, operation string) context.Context {
	c := CallerOf(ctx)
	c.Doing = operation
	return WithCaller(ctx, c)
}

// Settings is what the configuration decides. The zero implementation declares nothing.
type Settings interface {
	// Policy returns the policy of a project, whose record has the db layer. Operations ask Env.Policy.
	Policy(p *task.Project) (task.Policy, error)
	// Actor returns the actor with a name, which may have an instance, with its declaration.
	Actor(name string) (task.Actor, error)
	// ActorIn returns the actor as the configuration declares it for a project, whose db layer may declare actors too.
	// Operations ask Env.ActorIn, which applies the project's record.
	ActorIn(p *task.Project, a task.Actor) (task.Actor, error)
	// Actors returns the actors that are declared for a project, in the order of their declaration.
	Actors(p *task.Project) ([]task.Actor, error)
	// Register returns what a project's record says; nil if it declares no human, or the configuration says the same.
	Register(p *task.Project) (*task.Register, error)
	// Effective returns the configuration of a project, with the source of each value.
	Effective(p *task.Project) (*config.Effective, error)
	// FilePolicy returns the policy of the file that declares a project, and the file; empty if this process has no
	// such file.
	FilePolicy(slug string) (policy []byte, file string)
	// FileDir returns the directory of that file from the root of its repository; empty if it is in none.
	FileDir(slug string) string
	// DeclaredSince returns since when a file declares a project; zero if this process has no such file.
	DeclaredSince(slug string) task.Time
	// ByRecord returns the actor and the policy that count where no file declares the project.
	ByRecord(p *task.Project, a task.Actor) (task.Actor, task.Policy, error)
}

// By returns the name and face under which writes in this context are recorded.
func By(ctx context.Context) task.By {
	c := CallerOf(ctx)
	return task.By{Actor: c.Actor, Via: c.Via, Session: c.Session, Checkout: c.Checkout}
}

// MayOnlyRead returns the refusal of a write by a read-only session.
func MayOnlyRead() error {
	return fault.New(fault.Forbidden, "the session is read-only").
		WithHint("use a session that may write; create one where the database is: %s", hint.NewSession())
}

// Charge counts the bytes of records that were loaded for the caller, if anybody counts them. Its error ends the read.
func Charge(ctx context.Context, bytes int64) error {
	if c := CallerOf(ctx); c.Charge != nil {
		return c.Charge(bytes)
	}
	return nil
}

// Uncharged returns the context with uncounted reads: for reads after a write, whose answer must not be refused, and
// for reads that are counted in another way.
func Uncharged(ctx context.Context) context.Context {
	c := CallerOf(ctx)
	c.Charge = nil
	return WithCaller(ctx, c)
}

// earlierClaims is how many claims of a task are searched for an earlier one by the plain name.
const earlierClaims = 100

// ActingFor sets For to the instance whose claim the caller continues, if there is one. An agent with tools and a shell
// is one worker: a command without an instance may work on what its tools hold under one. That is
// unambiguous if no other instance of the name holds anything in the project, and if the plain name has never held the
// task itself: otherwise the instance may be its successor. In all other cases the fence of the claim decides. Over
// HTTP, only a command that is sent through the server acts for an instance.
func ActingFor(ctx context.Context, tx *store.Tx, t *task.Task, a task.Actor, fence *int64) (task.Actor, error) {
	if !t.Claim.Live(tx.Now()) || !CallerOf(ctx).AtCommand() || !a.MayActFor(t.Claim) {
		return a, nil
	}
	if fence != nil { // every write checks whether it belongs to the claim
		a.For = t.Claim.Actor
		return a, nil
	}
	held, err := tx.Held(t.Project, a.Name, false)
	if err != nil {
		return a, err
	}
	if only, ok := onlyInstance(held, a.Name); ok && only == t.Claim.Actor {
		return succeeded(tx, t, a)
	}
	return a, nil
}

// SharedBy returns who else works in the work tree in which the caller works on a task: see task.SharedBy.
func SharedBy(ctx context.Context, tx *store.Tx, t *task.Task, a task.Actor) ([]string, error) {
	if len(t.Touches) > 0 {
		return nil, nil // which spares the query
	}
	held, err := tx.Beside(t, CallerOf(ctx).Checkout)
	return t.At(tx.Now()).SharedBy(a, held), err
}

// onlyInstance returns the only instance of a name that holds any of the tasks, and whether there is exactly one.
func onlyInstance(held []*task.Task, name string) (only string, ok bool) {
	for _, t := range held {
		switch {
		case t.Claim == nil || t.Claim.Actor == name || t.Claim.Actor == only:
		case only != "":
			return "", false
		default:
			only = t.Claim.Actor
		}
	}
	return only, only != ""
}

// succeeded returns the actor as acting for the holder of a task, unless the plain name held it before: then the holder
// may be its successor.
func succeeded(tx *store.Tx, t *task.Task, a task.Actor) (task.Actor, error) {
	claims, err := tx.Events(query.Events{Task: t.ID, Kind: string(task.TaskClaimed), Limit: earlierClaims})
	if err != nil || slices.ContainsFunc(claims, func(c task.Event) bool { return c.Actor == a.Name }) {
		return a, err
	}
	a.For = t.Claim.Actor
	return a, nil
}

// Holdings returns what the caller can work on as its own in the projects: what it holds, what its plain name holds,
// and what the instance that it acts for holds.
func Holdings(ctx context.Context, tx *store.Tx, projects []string) ([]*task.Task, error) {
	c := CallerOf(ctx)
	var out []*task.Task
	for _, project := range projects {
		if c.Actor.Instance != "" {
			for _, name := range []string{c.Actor.Full(), c.Actor.Name} {
				held, err := tx.Held(project, name, true)
				if err != nil {
					return nil, err
				}
				out = append(out, held...)
			}
			continue
		}
		held, err := tx.Held(project, c.Actor.Name, !c.AtCommand())
		if err != nil {
			return nil, err
		}
		only, _ := onlyInstance(held, c.Actor.Name)
		for _, t := range held {
			a := c.Actor
			if t.Claim.Actor == only {
				if a, err = succeeded(tx, t, a); err != nil {
					return nil, err
				}
			}
			if a.Holds(t.Claim) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// Writer returns the caller as it acts on a task of a project, and the policy that counts there.
func (s *Env) Writer(ctx context.Context, tx *store.Tx, p *task.Project, t *task.Task, fence *int64) (task.Actor, task.Policy, error) {
	a, pol, err := s.Rules(ctx, tx, p)
	if err != nil {
		return a, pol, err
	}
	a, err = ActingFor(ctx, tx, t, a, fence)
	return a, pol, err
}

// Rules returns the caller as it counts in a project, and the project's policy.
func (s *Env) Rules(ctx context.Context, tx *store.Tx, p *task.Project) (task.Actor, task.Policy, error) {
	a, err := s.ActorIn(tx, p, CallerOf(ctx).Actor)
	if err != nil {
		return a, task.Policy{}, err
	}
	pol, err := s.Policy(tx, p)
	return a, pol, err
}

// ActorIn returns an actor as it counts in a project: as the files of this process declare it, unless the project's
// record knows better. It reads nothing where both agree, and at most one row of the log elsewhere.
func (s *Env) ActorIn(tx *store.Tx, p *task.Project, a task.Actor) (task.Actor, error) {
	here, err := s.Settings.ActorIn(p, a)
	if err != nil {
		return here, err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return here, err
	}
	return counted(tx, p, known, here)
}

// counted returns an actor as it counts in a project whose record says something else than the files here.
func counted(tx *store.Tx, p *task.Project, known *task.Register, here task.Actor) (task.Actor, error) {
	if !known.Asks(here) {
		return known.Count(here, false), nil
	}
	wrote, err := tx.Wrote(p.Slug, here.Name)
	return known.Count(here, wrote), err
}

// Policy returns the policy that is in force in a project: see task.InForce.
func (s *Env) Policy(tx *store.Tx, p *task.Project) (task.Policy, error) {
	pol, err := s.Settings.Policy(p)
	if err != nil {
		return pol, err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return pol, err
	}
	all, err := s.Actors(tx, p)
	return task.InForce(pol, known, all), err
}

// Actors returns the actors that are declared for a project, as they count there: those of the files, then those of the
// record whom the files leave out.
func (s *Env) Actors(tx *store.Tx, p *task.Project) ([]task.Actor, error) {
	out, err := s.Settings.Actors(p)
	if err != nil {
		return nil, err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return out, err
	}
	for _, a := range known.Actors {
		if !slices.ContainsFunc(out, func(b task.Actor) bool { return a.Name == b.Name }) {
			out = append(out, task.Actor{Name: a.Name})
		}
	}
	for i := range out {
		if out[i], err = counted(tx, p, known, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Overruled returns the actors that count as the project's record says, although the files of this process declare them
// otherwise. An actor that has not written yet is not among them unless the record declares it.
func (s *Env) Overruled(tx *store.Tx, p *task.Project) ([]string, error) {
	names := []string{}
	count, err := s.Actors(tx, p)
	if err != nil {
		return nil, err
	}
	for _, a := range count {
		here, err := s.Settings.ActorIn(p, task.Actor{Name: a.Name})
		if err != nil {
			return nil, err
		}
		if !a.Alike(here) {
			names = append(names, a.Name)
		}
	}
	return names, nil
}

// ReaderIn returns the actor that a project is read for: the named one, or the caller.
func (s *Env) ReaderIn(ctx context.Context, tx *store.Tx, p *task.Project, named string) (task.Actor, error) {
	a := CallerOf(ctx).Actor
	if named != "" {
		name, instance, err := task.ParseActor(named)
		if err != nil {
			return a, err
		}
		a = task.Actor{Name: name, Instance: instance}
	}
	return s.ActorIn(tx, p, a)
}

// KindIn returns whether an actor, given with its instance, is a human or an agent in a project.
func (s *Env) KindIn(tx *store.Tx, p *task.Project, full string) (string, error) {
	name, instance, err := task.ParseActor(full)
	if err != nil {
		return "agent", nil //nolint:nilerr // a name from before names were checked this strictly
	}
	a, err := s.ActorIn(tx, p, task.Actor{Name: name, Instance: instance})
	return words.Either(a.Human, "human", "agent"), err
}
