package reading

import (
	"context"

	"tasker/internal/core"
)

// VersionOut is what a client can check before use.
type VersionOut struct {
	Version       string `json:"version"`
	SchemaVersion int    `json:"schemaVersion"`
	ConfigVersion int    `json:"configVersion"`
}

// Version returns the versions of the binary, the database's schema and the configuration format. If there is no database
// yet, the schema is the one that this binary would create.
func (s *Service) Version(ctx context.Context, _ core.None) (VersionOut, error) {
	schema, err := s.Store.Version(ctx)
	if schema == 0 {
		schema = s.Schema
	}
	return VersionOut{Version: s.Binary, SchemaVersion: schema, ConfigVersion: s.Config}, err
}
