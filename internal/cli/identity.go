package cli

import (
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// namedActor is the identity that the command line or the environment names, and which of them.
func (f *factory) namedActor() (name, how string) {
	if f.flags.actor != "" {
		return f.flags.actor, "--actor"
	}
	return f.env("TASKER_ACTOR"), "TASKER_ACTOR"
}

// identity decides who acts: --actor, TASKER_ACTOR, the actor flagged default, agentDefaults.actor, the operating
// system's user.
func (f *factory) identity(settings core.Settings) (core.Caller, error) {
	if f.who != nil {
		return *f.who, nil
	}
	loaded, err := f.configuration()
	if err != nil {
		return core.Caller{}, err
	}
	name, how := f.namedActor()
	if name == "" {
		if name, how, err = defaultActor(loaded); err != nil {
			return core.Caller{}, err
		}
	}
	if name == "" {
		name, how = f.p.User(), "the operating system's user"
	}
	if name == "" {
		return core.Caller{}, fault.Bad("nobody says who acts").WithHint("name yourself with --actor or TASKER_ACTOR")
	}
	actor, err := settings.Actor(name)
	if err != nil {
		return core.Caller{}, err
	}
	f.who = &core.Caller{Actor: actor, How: how, Via: task.Via{Face: "cli"}, Project: loaded.Project()}
	return *f.who, nil
}

// defaultActor is who the configuration says acts when nobody is named, and what in it says so.
func defaultActor(loaded *config.Loaded) (name, how string, err error) {
	eff, err := loaded.For(loaded.Project(), nil)
	if err != nil {
		return "", "", err
	}
	for _, a := range eff.Actors {
		if a.Default {
			return a.Name, "the actor flagged default", nil
		}
	}
	return eff.AgentDefaults.Actor, "agentDefaults.actor", nil
}
