package core

import (
	"context"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func todo() error { return fault.New(fault.Internal, "this operation is not built yet") }

func (s *Services) Version(ctx context.Context, in None) (out VersionOut, err error) {
	return out, todo()
}
func (s *Services) Whoami(ctx context.Context, in WhoamiIn) (out WhoamiOut, err error) {
	return out, todo()
}
func (s *Services) Projects(ctx context.Context, in None) (out []*task.Project, err error) {
	return out, todo()
}
func (s *Services) Project(ctx context.Context, in ProjectIn) (out *task.Project, err error) {
	return out, todo()
}
func (s *Services) Ready(ctx context.Context, in ReadyIn) (out ReadyOut, err error) {
	return out, todo()
}
func (s *Services) Peek(ctx context.Context, in PeekIn) (out NextOut, err error) { return out, todo() }
func (s *Services) Next(ctx context.Context, in NextIn) (out NextOut, err error) { return out, todo() }
func (s *Services) List(ctx context.Context, in ListIn) (out ListOut, err error) { return out, todo() }
func (s *Services) Create(ctx context.Context, in CreateIn) (out *task.Task, err error) {
	return out, todo()
}
func (s *Services) Show(ctx context.Context, in ShowIn) (out *Bundle, err error) { return out, todo() }
func (s *Services) Edit(ctx context.Context, in EditIn) (out *task.Task, err error) {
	return out, todo()
}
func (s *Services) Move(ctx context.Context, in MoveIn) (out MoveOut, err error) { return out, todo() }
func (s *Services) Tick(ctx context.Context, in TickIn) (out *task.Task, err error) {
	return out, todo()
}
func (s *Services) Claim(ctx context.Context, in ClaimIn) (out task.Claim, err error) {
	return out, todo()
}
func (s *Services) Release(ctx context.Context, in ReleaseIn) (out ReleaseOut, err error) {
	return out, todo()
}
func (s *Services) Note(ctx context.Context, in NoteIn) (out NoteOut, err error) { return out, todo() }
func (s *Services) Evidence(ctx context.Context, in EvidenceIn) (out EvidenceOut, err error) {
	return out, todo()
}
func (s *Services) Approve(ctx context.Context, in ApproveIn) (out task.Approval, err error) {
	return out, todo()
}
func (s *Services) Apply(ctx context.Context, in ApplyIn) (out ApplyOut, err error) {
	return out, todo()
}
func (s *Services) Events(ctx context.Context, in EventsIn) (out []task.Event, err error) {
	return out, todo()
}
func (s *Services) ProjectCreate(ctx context.Context, in ProjectCreateIn) (out *task.Project, err error) {
	return out, todo()
}
func (s *Services) ProjectRename(ctx context.Context, in ProjectRenameIn) (out *task.Project, err error) {
	return out, todo()
}
func (s *Services) ProjectArchive(ctx context.Context, in ProjectArchiveIn) (out *task.Project, err error) {
	return out, todo()
}
func (s *Services) ProjectDelete(ctx context.Context, in ProjectIn) (out *task.Project, err error) {
	return out, todo()
}
func (s *Services) ProjectSettings(ctx context.Context, in ProjectIn) (out SettingsOut, err error) {
	return out, todo()
}
func (s *Services) ProjectSet(ctx context.Context, in ProjectSetIn) (out SettingsOut, err error) {
	return out, todo()
}
func (s *Services) Doctor(ctx context.Context, in DoctorIn) (out DoctorOut, err error) {
	return out, todo()
}

// Follow hands out events past from as they come, until ctx ends or send fails.
func (s *Services) Follow(ctx context.Context, in EventsIn, from int64, send func([]task.Event) error) error {
	return todo()
}
