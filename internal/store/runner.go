package store

import (
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// maxRunners is how many runners of a project are read.
const maxRunners = 200

const runnerColumns = `actor, host, state, workers, tasks, until_at, why, since`

// The places of runnerColumns.
const (
	runnerActor = iota
	runnerHost
	runnerState
	runnerWorkers
	runnerTasks
	runnerUntil
	runnerWhy
	runnerSince
)

// Runners returns the runners of a project that have not ended, or ended a moment ago: first by actor, then by host.
func (tx *Tx) Runners(slug string) ([]task.Runner, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT `+runnerColumns+` FROM runner WHERE project=$1 AND ends>$2 ORDER BY actor, host LIMIT `+strconv.Itoa(maxRunners),
		[]any{p.ID, tx.Head.Now}, p.runner)
}

// runner reads runnerColumns.
func (p *Project) runner(row db.Row) (task.Runner, error) {
	r := task.Runner{
		Actor: row.Text(runnerActor), Host: row.Text(runnerHost), State: task.RunnerState(row.Text(runnerState)), Workers: int(row.Int(runnerWorkers)),
		Until: task.Time(row.Int(runnerUntil)), Why: task.Opt(row.Text(runnerWhy)), Since: task.Time(row.Int(runnerSince)),
	}
	for _, n := range strings.Fields(row.Text(runnerTasks)) {
		number, err := strconv.ParseInt(n, 10, 64)
		if err != nil {
			return r, err
		}
		r.Tasks = append(r.Tasks, task.MakeID(p.Rec.Slug, number))
	}
	return r, nil
}

// Runner returns what a runner said last, or nil if it is not known any more.
func (tx *Tx) Runner(slug, actor, host string) (*task.Runner, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.First(tx.C, `SELECT `+runnerColumns+` FROM runner WHERE project=$1 AND actor=$2 AND host=$3 AND ends>$4`,
		[]any{p.ID, actor, host, tx.Head.Now}, p.runner)
}

// SaveRunner stores where a runner stands, with the event of the change, if there is one. It forgets the runners of the
// project that are gone, except those that stopped by themselves; such a one is forgotten once a runner of the same name
// works on that host.
func (tx *Tx) SaveRunner(slug string, r task.Runner, ev ...task.Draft) error {
	p, err := tx.Find(slug)
	if err != nil {
		return err
	}
	event, err := tx.AppendAll(slug, "", ev)
	if err != nil {
		return err
	}
	var about int64
	numbers := make([]string, len(r.Tasks))
	for i, id := range r.Tasks {
		about = rows.KeyIn(p.ID, id)
		numbers[i] = strconv.FormatInt(rows.Number(about), 10)
	}
	if !r.StoppedItself() || about == 0 {
		about, event = 0, 0
	}
	name, _, _ := strings.Cut(r.Actor, "/")
	tx.Exec(db.Any, `DELETE FROM runner WHERE project=$1 AND ends<=$2 AND event=0`, p.ID, tx.Head.Now)
	if r.State == task.RunnerWorking {
		tx.Exec(db.Any, `DELETE FROM runner WHERE project=$1 AND name=$2 AND host=$3 AND event>0`, p.ID, name, r.Host)
	}
	tx.Exec(1, `INSERT INTO runner (project, actor, host, name, state, workers, tasks, until_at, why, since, ends, task, event)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)
		ON CONFLICT (project, actor, host) DO UPDATE SET state=excluded.state, workers=excluded.workers, tasks=excluded.tasks, until_at=excluded.until_at,
			why=excluded.why, since=excluded.since, ends=excluded.ends, task=excluded.task,
			event=CASE WHEN excluded.task>0 AND excluded.event=0 THEN runner.event ELSE excluded.event END`, // its stop, said twice
		p.ID, r.Actor, r.Host, name, string(r.State), r.Workers, strings.Join(numbers, " "), int64(r.Until), string(r.Why), int64(r.Since),
		int64(r.Ends(tx.Now())), about, event)
	return nil
}
