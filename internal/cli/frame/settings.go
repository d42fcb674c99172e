package frame

import (
	"context"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
)

// Effective returns the merged settings of the project, including the ones stored in the database.
func (f *Factory) Effective(ctx context.Context) (*config.Effective, error) {
	eff, _, err := f.Disputed(ctx)
	return eff, err
}

// FileSettings returns the settings of a project, or of the assumed one for "", as the files here give them: without what
// the database stores.
func (f *Factory) FileSettings(project string) (*config.Effective, error) {
	loaded, err := f.Configuration()
	if err != nil {
		return nil, err
	}
	return loaded.For(project, nil)
}

// Disputed returns what Effective does, and warns of settings in the files here that the project's record does not let
// count. Through a server it does not: only a command that opens the database knows the record.
func (f *Factory) Disputed(ctx context.Context) (*config.Effective, []config.Warning, error) {
	loaded, err := f.Configuration()
	if err != nil {
		return nil, nil, err
	}
	stored, overruled, _ := f.StoredLayer(ctx, loaded.Project())
	eff, err := loaded.ForStored(loaded.Project(), stored)
	if err != nil {
		return nil, nil, err
	}
	return eff, eff.Disputed(overruled), nil
}

// StoredLayer returns the part of a project's configuration that the database stores, the actors for whom the project's
// record counts and not the files here, and whether the project exists. If the database cannot be read, it warns that
// this layer is left out; the other layers can still be shown.
func (f *Factory) StoredLayer(ctx context.Context, slug string) (s config.Stored, overruled []string, found bool) {
	switch {
	case slug == "" || f.NoDatabase():
		return s, nil, false
	case f.ServerURL() != "":
		if f.leftOut.CompareAndSwap(false, true) {
			f.Warn([]string{"the db layer is left out: only a command that opens the database knows it, not one that uses a server"})
		}
		return s, nil, false
	}
	out, err := Call(ctx, f, op.ProjectSettings, core.ProjectIn{Slug: slug})
	if fault.Is(err, fault.NotFound) {
		return s, nil, false
	}
	if err == nil {
		s.DB, err = f.JSON(out.Settings)
	}
	if err == nil && out.Record != nil {
		s.File, s.At, overruled = out.Record.File, out.Record.At.String(), out.Record.Overrules
		s.Record, err = f.JSON(out.Record.Policy)
	}
	if err != nil {
		f.Warn([]string{"the db layer is left out: " + fault.Of(err).Message})
		return config.Stored{}, nil, false
	}
	return s, overruled, true
}
