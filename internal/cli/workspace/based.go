package workspace

import (
	"context"
	"path/filepath"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/machine"
)

// Based is the project's file as the base of its repository has it. It says what may run without anybody being asked: the
// worker can edit the file in a checkout, and the base has only what was landed.
type Based struct {
	Name   string // of the base, such as origin/main; empty if there is none
	Commit string
	Dir    string // where the commands of its gates run: the directory of the file in this checkout
	Why    string // why nothing counts as declared; empty if there is a file

	from   string // Dir from the root of the repository, with slashes
	at     *machine.AtBase
	loaded *config.Loaded
}

// OnBase finds the file of the current directory as the base has it. The base is the branch.base that the project's record
// names, else the remote's default branch, else the one of the main checkout: never one that only a file here names.
func OnBase(ctx context.Context, f *frame.Factory) (*Based, error) {
	loaded, err := f.Configuration()
	if err != nil {
		return nil, err
	}
	b := &Based{loaded: loaded}
	if loaded.File == "" {
		b.Why = "there is no .tasker.json here"
		return b, nil
	}
	b.Dir = filepath.Dir(loaded.File)
	stored, _, _ := f.StoredLayer(ctx, loaded.FileProject())
	name, err := config.BaseOf(loaded.FileProject(), stored)
	if err != nil {
		return nil, err
	}
	at, err := machine.FileAtBase(ctx, loaded.File, name)
	switch {
	case fault.Is(err, fault.Declined) || fault.Is(err, fault.Invalid):
		b.Why = fault.Of(err).Message
		return b, nil
	case err != nil:
		return nil, err
	case at == nil:
		b.Why = loaded.File + " is in no git repository, so no commit has its commands"
		return b, nil
	}
	b.Name, b.Commit = at.Base.Name, at.Base.Commit
	if !at.Found {
		b.Why = b.Words() + " has no " + filepath.Base(loaded.File) + ": commit it there"
		return b, nil
	}
	repo, err := f.Wiring.Repository(ctx, b.Dir)
	if err != nil {
		return nil, err
	}
	if repo != nil {
		b.from = repo.From(b.Dir)
	}
	b.at = at
	return b, nil
}

// From returns the directory of the commands from the root of the repository, with slashes.
func (b *Based) From() string { return b.from }

// Words returns the base as people say it.
func (b *Based) Words() string {
	return words.Either(b.Name == "", "the base", b.Name+" ("+b.Commit[:min(len(b.Commit), 12)]+")")
}

// Lines returns the commands of a gate as the base's file declares them for the project.
func (b *Based) Lines(project, gate string) []string {
	if b.at == nil {
		return nil
	}
	lines, err := config.GateLines(b.loaded.File, b.at.Text, project, gate)
	if err != nil {
		b.at, b.Why = nil, "its file at "+b.Words()+" is not valid: "+fault.Of(err).Message
	}
	return lines
}

// Here returns the commands of a gate that the file in this checkout declares.
func (b *Based) Here(project, gate string) ([]string, error) {
	lines, _, err := b.loaded.GateCommands(project, gate)
	return lines, err
}
