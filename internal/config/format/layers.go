package format

import "tasker/internal/strict"

// The layers of a configuration, lowest first: later ones win.
const (
	DefaultsLayer strict.Layer = "defaults"
	DBLayer       strict.Layer = "db"
	FileLayer     strict.Layer = "file"
	LocalLayer    strict.Layer = "local"
	EnvLayer      strict.Layer = "env"
	FlagsLayer    strict.Layer = "flags"
)
