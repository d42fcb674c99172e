package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/transfer/exporter"
)

// ExportIn asks for the tasks of one project, or of all.
type ExportIn struct {
	Project  string
	Notes    bool // with their notes
	Evidence bool // with their evidence
	// Into receives each project, then its tasks by number, and then its end.
	Into exporter.Format
}

// ExportOut counts what was exported.
type ExportOut struct {
	Projects int `json:"projects"`
	Tasks    int `json:"tasks"`
}

// Export writes the tasks of one snapshot, with one page of them in memory at a time.
func (s *Service) Export(ctx context.Context, in ExportIn) (ExportOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out ExportOut, err error) {
		projects, err := s.exported(tx, in.Project)
		if err != nil {
			return out, err
		}
		for _, p := range projects {
			if err := in.Into.Project(p); err != nil {
				return out, err
			}
			n, err := exportTasks(tx, p, in)
			if err != nil {
				return out, err
			}
			out.Projects++
			out.Tasks += n
		}
		return out, nil
	})
}

// exported returns the named project, or all.
func (s *Service) exported(tx *store.Tx, slug string) ([]*task.Project, error) {
	if slug == "" {
		all, err := tx.Projects()
		if err == nil && len(all) == 0 {
			err = tx.NoProjectYet()
		}
		return all, err
	}
	p, err := tx.Project(slug)
	return []*task.Project{p}, err
}

// exportedAtOnce is how many tasks are in memory at once.
const exportedAtOnce = 500

// exportTasks writes the tasks of a project, and ends it.
func exportTasks(tx *store.Tx, p *task.Project, in ExportIn) (n int, err error) {
	q := query.List{Project: p.Slug, Limit: exportedAtOnce, Bytes: core.PageBytes}
	for {
		tasks, _, next, err := tx.List(q)
		if err != nil {
			return n, err
		}
		keys, err := keysAround(tx, p.Slug, tasks)
		if err != nil {
			return n, err
		}
		for _, t := range tasks {
			e := &exporter.Task{Task: t, ParentKey: keys[task.ID(t.Parent)]}
			for _, dep := range t.Deps {
				e.DepKeys = append(e.DepKeys, keys[dep])
			}
			if in.Notes && t.Notes > 0 {
				if e.Notes, err = tx.Notes(t.ID, 0); err != nil {
					return n, err
				}
			}
			if in.Evidence && t.Evidences > 0 {
				if e.Evidence, err = tx.Evidence(t.ID); err != nil {
					return n, err
				}
			}
			if err := in.Into.Task(e); err != nil {
				return n, err
			}
			n++
		}
		if next == "" {
			return n, in.Into.End()
		}
		q.Cursor = next
	}
}

// keysAround returns the keys of tasks, of their parents and of what they depend on.
func keysAround(tx *store.Tx, project string, tasks []*task.Task) (map[task.ID]string, error) {
	keys := make(map[task.ID]string, 2*len(tasks))
	for _, t := range tasks {
		keys[t.ID] = t.Key
	}
	var others []task.ID
	want := func(id task.ID) {
		if _, known := keys[id]; !known && id != "" {
			keys[id] = ""
			others = append(others, id)
		}
	}
	for _, t := range tasks {
		want(task.ID(t.Parent))
		for _, dep := range t.Deps {
			want(dep)
		}
	}
	refs, err := tx.Refs(project, nil, others)
	for _, r := range refs {
		keys[r.ID] = r.Key
	}
	return keys, err
}
