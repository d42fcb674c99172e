// Package shop writes the plan "shop" into a database: 120 tasks in five epics with ten days of history, eight workers,
// two people, and every kind of trouble that a page has to show. Pages are photographed with it, tests of pages read it,
// and `make run` serves it.
//
// Everything is done by operations under a moved clock, so that what is written could have happened. It depends on
// nothing but the time that counts as now: the same time gives the same records and events.
package shop

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"tasker/internal/admin"
	"tasker/internal/app/services"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/sync/forge"
	"tasker/internal/sync/jira"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/query"
)

// Project is the slug of the plan.
const Project = "shop"

// Config is the configuration file of the project. A server of the plan finds it next to the database.
//
//go:embed tasker.json
var Config string

var (
	//go:embed plan.yaml
	planned []byte
	//go:embed launch.yaml
	launch []byte // it was planned two days later
)

// The tasks that tests and the demo name.
const (
	Stalled  = "shop-59" // held by claude/1, which is quiet; most of the plan waits for it
	Asking   = "shop-84" // held by claude/2, which waits for an answer
	Handed   = "shop-39" // in review, with a hand-over note and a run
	Approval = "shop-68" // in review, and a lead has to approve it
	Failing  = "shop-40"
	Lapsed   = "shop-71" // codex/2 held it
	Urgent   = "shop-2"  // has the highest priority, and is done
)

// Made is what was written and has no name.
type Made struct {
	Question int64 // the blocking one about Asking
}

// Write writes the plan into an empty database: a path, or the address of a PostgreSQL.
func Write(ctx context.Context, at string, now time.Time) (Made, error) {
	if !strings.Contains(at, "://") {
		return write(ctx, at, now)
	}
	// PostgreSQL has a clock of its own, which cannot be moved: the plan is copied there, record by record.
	dir, err := os.MkdirTemp("", "tasker-shop-")
	if err != nil {
		return Made{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	from := filepath.Join(dir, "tasker.db")
	made, err := write(ctx, from, now)
	if err != nil {
		return made, err
	}
	return made, carry(ctx, from, at)
}

func write(ctx context.Context, path string, now time.Time) (Made, error) {
	p := &play{ctx: ctx, now: now.UTC().Truncate(time.Second), ids: map[string]string{}}
	p.clock = p.now
	set, err := open(path, func() time.Time { return p.clock })
	if err != nil {
		return Made{}, err
	}
	p.Set = set
	p.past()
	p.present()
	p.tracker()
	made, err := p.perform()
	if closing := set.Store.Close(); err == nil {
		err = closing
	}
	return made, err
}

// carry copies every record into an empty database.
func carry(ctx context.Context, from, to string) error {
	source, err := open(from, nil)
	if err != nil {
		return err
	}
	defer func() { _ = source.Store.Close() }()
	target, err := open(to, nil)
	if err != nil {
		return err
	}
	defer func() { _ = target.Store.Close() }()
	var of query.Dumped
	var records []*query.Record
	_, err = source.Admin.Dump(ctx, admin.DumpIn{
		Outputs: true,
		Begin:   func(d query.Dumped) error { of = d; return nil },
		Record:  func(r query.Record) error { records = append(records, &r); return nil },
	})
	if err != nil {
		return err
	}
	_, err = target.Admin.Load(ctx, admin.LoadIn{Of: of, Next: func() (*query.Record, error) {
		if len(records) == 0 {
			return nil, nil //nolint:nilnil // the end
		}
		next := records[0]
		records = records[1:]
		return next, nil
	}})
	return err
}

// open returns the services over a database as the program wires them, next to the configuration of the project. A nil
// clock is the system's.
func open(path string, clock func() time.Time) (*services.Set, error) {
	setup := db.Setup{Migrations: store.Schema(), World: db.World{Clock: db.ClockFunc(clock)}}
	var engine db.Engine
	var err error
	if strings.Contains(path, "://") {
		engine, err = postgres.Open(path, setup)
	} else {
		engine, err = sqlite.Open(path, setup)
	}
	if err != nil {
		return nil, err
	}
	loaded, err := config.Load(config.Options{Dir: "/shop", Files: files{"shop/" + config.FileName: {Data: []byte(Config)}}})
	if err != nil {
		return nil, err
	}
	return services.New(core.Env{
		Store: store.NewStore(engine), Settings: policy.Settings(func() *config.Loaded { return loaded }), Binary: "0.0.0-shop", Schema: len(store.Schema()),
		Config: 1, Random: rand.Reader,
		Names: merge.Names{Tracker: jira.Names, Issues: forge.IssueNames, Requests: forge.RequestNames, Branches: forge.BranchNames},
	}), nil
}

// files is a file system in memory whose paths begin with a slash. The policy of record names its file, which must be
// the same each time.
type files fstest.MapFS

func (f files) Stat(name string) (fs.FileInfo, error) { return fstest.MapFS(f).Stat(name[1:]) }
func (f files) ReadFile(name string) ([]byte, error)  { return fstest.MapFS(f).ReadFile(name[1:]) }

// play is a list of what happens when, which is carried out in the order of time.
type play struct {
	*services.Set
	ctx    context.Context
	now    time.Time
	clock  time.Time
	agenda []scene
	ids    map[string]string // of tasks, by key
	made   Made
}

// scene is one thing that happens, some time before now.
type scene struct {
	ago time.Duration
	do  func() error
}

// at has something happen some time before now.
func (p *play) at(ago time.Duration, do func() error) {
	p.agenda = append(p.agenda, scene{ago, do})
}

// perform carries everything out. Each scene takes a second at least, so that no two events have the same time.
func (p *play) perform() (Made, error) {
	slices.SortStableFunc(p.agenda, func(a, b scene) int { return cmp.Compare(b.ago, a.ago) })
	p.clock = time.Time{}
	for _, s := range p.agenda {
		p.clock = later(p.clock.Add(time.Second), p.now.Add(-s.ago))
		if _, err := p.Store.Sweep(p.ctx); err != nil { // as a server does every second
			return p.made, err
		}
		if err := s.do(); err != nil {
			f := fault.Of(err)
			return p.made, fmt.Errorf("%s before now: %s %v (%s): %w", s.ago, f.Message, f.Missing, f.Hint, err)
		}
	}
	if p.clock.After(p.now) {
		return p.made, fmt.Errorf("the plan ends %s from now", p.clock.Sub(p.now))
	}
	return p.made, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// as returns the context of an actor.
func (p *play) as(name string) context.Context {
	a, err := p.Settings.Actor(name)
	if err != nil {
		panic("shop: " + err.Error()) // the names are ours
	}
	return core.WithCaller(p.ctx, core.Caller{Actor: a, How: "TASKER_ACTOR", Via: task.Via{Face: "cli"}, Project: Project})
}
