package frame

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"tasker/internal/cli/shape"
	"tasker/internal/cli/term"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
)

// Factory gives commands what they need when they need it: the configuration, the database or the server's client is
// opened on first use.
type Factory struct {
	Process Process
	Wiring  Wiring
	Flags   Globals
	Out     *term.Terminal
	Err     *term.Terminal

	stale *Staleness // cached; nil until the first use

	// Instance distinguishes workers of the same name; it is added to an identity that has no instance.
	Instance string
	// WorksAs is the name of a command whose work always counts as an agent's, such as tasker run; otherwise empty.
	WorksAs string
	// StopWithin is how long the command may take to stop when told to; 0: as long as most.
	StopWithin time.Duration
	// For is the agent for which the entry was written that started the command; otherwise empty.
	For string

	// SessionID is the id of the agent's session that a hook was told; otherwise empty.
	SessionID string

	// Takes reports whether the command has a flag; it is nil until the command line is parsed.
	Takes func(flag string) bool

	shape         shape.Shape // what --jq or --template makes of the answer; nil without them
	shaped        bool        // a JSON answer was printed
	plainRefusals bool        // refusals are printed as words although the answer is JSON
	wrote         bool        // an operation that writes was carried out

	// Repaints says that the view is painted again after every event, so no pager may be used.
	Repaints bool

	leftOut   atomic.Bool // it was said that the db layer is left out
	elsewhere bool        // it was said that the project is another repository's
	settled   []string    // the notices of configuration files that are settled: printed, or turned off
	document  bool        // the command prints a JSON document, though --json was not given
	loaded    *config.Loaded
	session   *Session // an open database
	remote    Remote
	who       *core.Caller // on whose behalf the command acts; nil until decided
	News      News
}

// New returns the factory for one command line.
func New(p Process, w Wiring) *Factory {
	f := &Factory{Process: p, Wiring: w}
	f.Flags.Color = "auto"
	f.Out = term.New(p.Stdout, p.OutTTY)
	f.Err = term.New(p.Stderr, p.ErrTTY)
	return f
}

// Begin decides on colours, width and reader, once the flags are parsed.
func (f *Factory) Begin() {
	if f.Process.OutTTY && f.Process.Width != nil {
		f.Out.Width = f.Process.Width()
	}
	f.Out.Color = f.colored(f.Process.OutTTY)
	f.Err.Color = f.colored(f.Process.ErrTTY)
	agent, _ := agentIn(f.Env)
	f.Out.Model, f.Err.Model = agent != "", agent != ""
}

func (f *Factory) colored(tty bool) bool {
	if f.Flags.Color != "auto" {
		return f.Flags.Color == "always"
	}
	return tty && f.Env("NO_COLOR") == "" && f.Env("TERM") != "dumb"
}

// Close closes the database, if it was opened.
func (f *Factory) Close() error {
	if f.session == nil || f.session.Close == nil {
		return nil
	}
	return f.session.Close()
}

// Env returns an environment variable, or "" if it is not set.
func (f *Factory) Env(name string) string {
	v, _ := f.Process.Env(name)
	return v
}

// Now returns the time by the process's clock.
func (f *Factory) Now() time.Time { return f.Process.Now() }

// ConfigOptions says where to read the configuration from.
func (f *Factory) ConfigOptions() config.Options {
	o := config.Options{Dir: f.Process.Dir, Env: f.Env, Files: f.Wiring.Files, File: f.Flags.Config, Now: f.Process.Now}
	if f.Flags.Project != "" {
		o.Flags = append(o.Flags, config.Flag{Name: "--project", Key: "project", Value: f.Flags.Project})
	}
	return o
}

// GateCommands returns the commands of a gate that a file of this machine declares for the project, and the directory in
// which they run: no other command of a gate is run here.
func (f *Factory) GateCommands(project, gate string) (lines []string, dir string, err error) {
	loaded, err := f.Configuration()
	if err != nil {
		return nil, "", err
	}
	return loaded.GateCommands(project, gate)
}

// Configuration returns the configuration, which the first call reads. TellNotices prints its notices.
func (f *Factory) Configuration() (*config.Loaded, error) {
	if f.loaded != nil {
		return f.loaded, nil
	}
	if f.Wiring.Files == nil || f.Process.Dir == "" {
		return nil, fault.Bad("the working directory is gone").WithHint("go to another one")
	}
	loaded, err := config.Load(f.ConfigOptions())
	if err != nil {
		return nil, err
	}
	f.loaded = loaded
	return loaded, nil
}

// ForgetConfiguration makes the next use read the configuration again, for a command that has written the files. It closes
// the database, which was opened with the configuration from before.
func (f *Factory) ForgetConfiguration() error {
	err := f.Close()
	f.loaded, f.who, f.session = nil, nil, nil
	return err
}

// WithoutConfiguration makes the command ignore all configuration files, valid or not.
func (f *Factory) WithoutConfiguration() { f.loaded = config.Nothing() }

// TellNotices prints the notices of the configuration, once per process. The project's own settings may turn them off,
// and these are known only once the database is open: call it right after that, and at the latest at the end.
func (f *Factory) TellNotices(ctx context.Context) {
	if f.loaded == nil || !slices.ContainsFunc(f.loaded.Notices, func(text string) bool { return !slices.Contains(f.settled, text) }) {
		return
	}
	notices := f.loaded.Notices
	if slug := f.loaded.Project(); slug != "" && f.session != nil {
		if out, err := op.ProjectSettings.Do(ctx, f.session.Caller, core.ProjectIn{Slug: slug}); err == nil {
			if layer, err := f.JSON(out.Settings); err == nil {
				if own, err := f.loaded.For(slug, layer); err == nil {
					notices = own.Notices
				}
			}
		}
	}
	f.TellOnce(notices)
	f.settled = append(f.settled, f.loaded.Notices...)
}

// TellOnce prints notices about configuration files, each once per process, and none along with a JSON document.
func (f *Factory) TellOnce(notices []string) {
	for _, text := range notices {
		if !f.document && !slices.Contains(f.settled, text) {
			f.Notice(text)
		}
		f.settled = append(f.settled, text)
	}
}

// PrintsDocument says that the command prints a JSON document, though --json was not given.
func (f *Factory) PrintsDocument() { f.document = true }

// Notice prints something that was done without being asked for, such as a migration. With --json or --quiet it prints
// nothing.
func (f *Factory) Notice(text string) {
	if !f.Flags.JSON && !f.Flags.Quiet {
		f.Err.Printf("%s\n", text)
	}
}

// Globals are the global flags.
type Globals struct {
	Project  string
	Actor    string
	JSON     bool
	JQ       string // an expression that forms the JSON answer
	Template string // a template that forms it
	DB       string
	Server   string
	Config   string
	Color    string
	Quiet    bool
	Exact    bool // print exact times, not relative ones
	NoPager  bool
}
