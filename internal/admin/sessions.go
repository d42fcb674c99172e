package admin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Sessions are created, listed and ended by users who can open the database: these operations have no route and no tool.

// SessionCreateIn creates a session for an actor.
type SessionCreateIn struct {
	Actor    string
	LifeMs   *int64 // nil: the default; 0: no expiry
	Projects []string
	ReadOnly bool
}

// SessionCreated is a session with its credential, which is shown only here.
type SessionCreated struct {
	ID        int64     `json:"id"`
	Actor     string    `json:"actor"`
	Token     string    `json:"token"`
	ExpiresAt task.Time `json:"expiresAt"`

	Warnings []string `json:"warnings"`
}

// SessionIn names a session.
type SessionIn struct {
	ID int64
}

// credentialPrefix distinguishes a session's credential from other secrets, for people and for secret scanners.
const credentialPrefix = "tsk_"

var credentialBits = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// newCredential returns a credential of 256 random bits.
func newCredential(random io.Reader) (string, error) {
	var bits [32]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", fault.New(fault.Internal, "no random bits are available to make a credential: %v", err).WithCause(err)
	}
	return credentialPrefix + credentialBits.EncodeToString(bits[:]), nil
}

// isCredential reports whether text has the form of a credential. Anything else need not be looked up.
func isCredential(text string) bool {
	bits, ok := strings.CutPrefix(text, credentialPrefix)
	return ok && len(bits) == credentialBits.EncodedLen(32)
}

// credentialDigest returns what is stored about a credential. A plain lookup is safe: to learn anything from its timing,
// an attacker would have to choose digests, that is, to invert SHA-256.
func credentialDigest(credential string) string {
	sum := sha256.Sum256([]byte(credential))
	return hex.EncodeToString(sum[:])
}

// SessionCreate creates a session for an actor, and returns its credential, which is not stored.
func (s *Service) SessionCreate(ctx context.Context, in SessionCreateIn) (SessionCreated, error) {
	name, err := s.checkSession(in)
	if err != nil {
		return SessionCreated{}, err
	}
	credential, err := newCredential(s.Random)
	if err != nil {
		return SessionCreated{}, err
	}
	life := task.DefaultSessionMs
	if in.LifeMs != nil {
		life = *in.LifeMs
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (SessionCreated, error) {
		if err := s.mayHandleSessions(ctx, tx, "make"); err != nil {
			return SessionCreated{}, err
		}
		for _, slug := range in.Projects {
			if _, err := tx.Project(slug); err != nil {
				return SessionCreated{}, err
			}
		}
		made := task.Session{Actor: in.Actor, Projects: in.Projects, ReadOnly: in.ReadOnly}
		if life > 0 {
			made.ExpiresAt = tx.Now().Add(life)
		}
		made, err := tx.AddSession(made, credentialDigest(credential))
		if err != nil {
			return SessionCreated{}, err
		}
		out := SessionCreated{ID: made.ID, Actor: made.Actor, Token: credential, ExpiresAt: made.ExpiresAt}
		out.Warnings, err = s.aboutSession(tx, name)
		return out, err
	})
}

// checkSession refuses an invalid session, and returns the actor's name.
func (s *Service) checkSession(in SessionCreateIn) (string, error) {
	if in.Actor == "" {
		return "", fault.Bad("no actor is named for the session").WithHint("name the actor: %s", hint.NewSession())
	}
	name, _, err := task.ParseCaller(in.Actor)
	if in.LifeMs != nil {
		err = cmp.Or(err, task.CheckSessionLife(*in.LifeMs))
	}
	for _, slug := range in.Projects {
		err = cmp.Or(err, task.CheckSlug(slug))
	}
	return name, err
}

// aboutSession returns warnings about what may be unintended.
func (s *Service) aboutSession(tx *store.Tx, name string) ([]string, error) {
	declared, _, _, err := s.census(tx, task.Actor{Name: name})
	if err != nil || declared {
		return nil, err
	}
	return []string{name + " is declared nowhere, so it counts as an agent without roles"}, nil
}

// SessionList returns the sessions that are still valid.
func (s *Service) SessionList(ctx context.Context, _ core.None) ([]task.Session, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]task.Session, error) {
		all, err := tx.Sessions()
		return slices.DeleteFunc(all, func(one task.Session) bool { return !one.Live(tx.Now()) }), err
	})
}

// SessionRevoke ends a session at once. A session that has already ended does not change.
func (s *Service) SessionRevoke(ctx context.Context, in SessionIn) (task.Session, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (task.Session, error) {
		one, err := tx.Session(in.ID)
		if err != nil {
			return one, err
		}
		if err := s.mayHandleSessions(ctx, tx, "revoke"); err != nil {
			return one, err
		}
		if !one.Live(tx.Now()) {
			return one, nil
		}
		return one, tx.RevokeSession(one)
	})
}

// mayHandleSessions refuses sessions to agents if a human is declared, because a session may be a person's. A caller who
// opens the database without an identity is neither, and passes.
func (s *Service) mayHandleSessions(ctx context.Context, tx *store.Tx, verb string) error {
	c := core.CallerOf(ctx)
	declared, human, humans, err := s.census(tx, c.Actor)
	if err != nil || human || !humans || c.Assumed && !declared {
		return err
	}
	return fault.Decline("%s may not %s a session: the configuration declares a human, and %s is not one", c.Actor.Full(), verb, c.Actor.Name).
		WithHint("ask a human to do it")
}

// census reports whether an actor is declared anywhere, whether as a human, and whether anybody is declared as a human.
// Somebody whom files declare as a human does not count as one if a project with a human knows them as an agent: a session
// may be that of any human, and a file alone promotes nobody.
func (s *Service) census(tx *store.Tx, a task.Actor) (declared, human, humans bool, err error) {
	human = a.Person()
	agent := false
	err = s.everywhere(tx, func(p *task.Project) error {
		in, err := s.ActorIn(tx, p, a)
		if err != nil {
			return err
		}
		pol, err := s.Policy(tx, p)
		declared, human, humans = declared || in.Declared, human || in.Person(), humans || pol.DeclaresHuman
		if err == nil && a.Human && !in.Human && pol.DeclaresHuman && !agent {
			if agent = in.Declared; !agent {
				agent, err = tx.Wrote(p.Slug, a.Name)
			}
		}
		return err
	})
	return declared, human && !agent, humans, err
}

// everywhere calls fn for every project, and for an empty one that has what is declared only for the process.
func (s *Service) everywhere(tx *store.Tx, fn func(*task.Project) error) error {
	all, err := tx.Projects()
	if err != nil {
		return err
	}
	for _, p := range append(all, &task.Project{}) {
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}
