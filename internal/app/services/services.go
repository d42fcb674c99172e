// Package services builds every service over one environment, for the program and for tests.
package services

import (
	"tasker/internal/admin"
	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/landing"
	"tasker/internal/links"
	"tasker/internal/notify"
	"tasker/internal/planning"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

// Set holds one of each service.
type Set struct {
	*core.Env
	Work       *work.Service
	Planning   *planning.Service
	Inbox      *inbox.Service
	Reading    *reading.Service
	Picture    *picture.Service
	Admin      *admin.Service
	Workspaces *workspace.Service
	Landing    *landing.Service
	Notify     *notify.Service
	Links      *links.Service
}

// New returns the services over env.
func New(env core.Env) *Set {
	e := &env
	e.Rewound = core.NewRoom(asof.MaxTasks)
	read := reading.New(e)
	waiting := inbox.New(e, read)
	return &Set{
		Env: e, Work: work.New(e), Planning: planning.New(e), Inbox: waiting, Reading: read,
		Picture: picture.New(e), Admin: admin.New(e), Workspaces: workspace.New(e), Landing: landing.New(e), Notify: notify.New(e, waiting), Links: links.New(e)}
}

// All returns the services, for the operation table.
func (s *Set) All() []any {
	return []any{s.Work, s.Planning, s.Inbox, s.Reading, s.Picture, s.Admin, s.Workspaces, s.Landing, s.Links, s.Notify}
}
