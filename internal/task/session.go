package task

import (
	"slices"

	"tasker/internal/fault"
)

// Session is a credential that was created for an actor. Only the digest of the credential is stored: see package
// admin.
type Session struct {
	ID         int64    `json:"id" db:"id"`
	Actor      string   `json:"actor" db:"actor"`
	CreatedAt  Time     `json:"createdAt" db:"created_at"`
	ExpiresAt  Time     `json:"expiresAt" db:"expires_at"` // null: it does not expire
	LastUsedAt Time     `json:"lastUsedAt" db:"last_used_at"`
	Projects   []string `json:"projects" db:"projects"` // empty: all of them
	ReadOnly   bool     `json:"readOnly" db:"read_only"`

	RevokedAt Time `json:"-" db:"revoked_at"`
}

// Live reports whether the session is still valid.
func (s Session) Live(now Time) bool {
	return s.RevokedAt == 0 && (s.ExpiresAt == 0 || now < s.ExpiresAt)
}

// Scope is what a caller may reach. The zero value means everything.
type Scope struct {
	Projects []string // empty: all of them
	ReadOnly bool
}

// Covers reports whether the caller may reach a project. Other projects do not exist for the caller.
func (s Scope) Covers(project string) bool {
	return len(s.Projects) == 0 || slices.Contains(s.Projects, project)
}

// The longest and the default life of a session.
const (
	MaxSessionMs     int64 = 366 * 24 * 60 * 60 * 1000
	DefaultSessionMs int64 = 12 * 60 * 60 * 1000
)

// CheckSessionLife refuses a lifetime that no session can have; 0 means no expiry.
func CheckSessionLife(ms int64) error {
	if ms < 0 || ms > MaxSessionMs {
		return fault.Bad("a session cannot last %d ms", ms).WithHint("up to 366d, or 0 for one that does not expire")
	}
	return nil
}
