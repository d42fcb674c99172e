package config

import (
	"time"

	"tasker/internal/task"
)

// Config is the effective configuration of one project, with every default filled in. It is shared and must not be
// changed.
//
// The json tags bind each field to its declaration in format.go, which documents it.
type Config struct {
	Version       int                 `json:"version"`
	Project       string              `json:"project"`
	Execution     Execution           `json:"execution"`
	Workspace     Workspace           `json:"workspace"`
	Context       Context             `json:"context"`
	Actors        []Actor             `json:"actors"`
	Providers     map[string]Provider `json:"providers"`
	Integrations  Integrations        `json:"integrations"`
	Notifications Notifications       `json:"notifications"`
	Notices       Notices             `json:"notices"`
	Gates         map[string][]string `json:"gates"`
	AgentDefaults AgentDefaults       `json:"agentDefaults"`
	Branch        Branch              `json:"branch"`
	Auth          Auth                `json:"auth"`
}

// Execution decides who may take tasks and what closes them.
type Execution struct {
	DefaultAutonomy string                   `json:"defaultAutonomy"`
	PreferredActor  string                   `json:"preferredActor"` // "" for nobody
	MayExecute      []string                 `json:"mayExecute"`
	RequireApproval []Requirement            `json:"requireApproval"`
	ReviewPolicy    map[string][]Requirement `json:"reviewPolicy"` // by gate
}

// Requirement is an approval that a task must collect. With neither role nor actor, any human can give it.
type Requirement = task.Requirement

// Workspace says where the work on a task happens.
type Workspace struct {
	Strategy  string   `json:"strategy"` // in-place or worktree
	Dir       string   `json:"dir"`
	Providers []string `json:"providers"`
	Ports     *Ports   `json:"ports"` // nil if no range is set
	Setup     []Step   `json:"setup"`
	Teardown  []Step   `json:"teardown"`
}

// Ports is the range, both ends included, that workspaces take their ports from.
type Ports struct {
	Range   [2]int `json:"range"`
	PerTask int    `json:"perTask"`
}

// Step is a command that prepares or clears a workspace.
type Step struct {
	Name      string `json:"name"`
	Run       string `json:"run"`
	TimeoutMs int    `json:"timeoutMs"`
	Optional  bool   `json:"optional"`
}

// Context says what agents get to read.
type Context struct {
	Track        []string `json:"track"`
	Ignore       []string `json:"ignore"`
	BundleBudget int      `json:"bundleBudget"` // 0 for none
	WarnOnDrift  bool     `json:"warnOnDrift"`
}

// Actor declares an identity.
type Actor struct {
	Name         string   `json:"name"`
	Kind         string   `json:"kind"` // human or agent
	Roles        []string `json:"roles"`
	Capabilities []string `json:"capabilities"`
	Autonomy     string   `json:"autonomy"` // "" for no ceiling
	Default      bool     `json:"default"`
}

// Provider is a source of environment values.
type Provider struct {
	Type    string            `json:"type"`
	Env     string            `json:"env"`
	App     string            `json:"app"`
	Files   []string          `json:"files"`
	Run     string            `json:"run"`
	Path    string            `json:"path"`
	Options map[string]string `json:"options"`
}

// Integrations links the project to other systems.
type Integrations struct {
	IssueTracker IssueTracker `json:"issue_tracker"`
	CodeHost     CodeHost     `json:"code_host"`
	Selection    []string     `json:"selection"`
}

// IssueTracker is the external issue tracker.
type IssueTracker struct {
	BaseURL   string            `json:"baseUrl"`
	StatusMap map[string]string `json:"statusMap"`
	Fields    map[string]string `json:"fields"`
	Projects  []string          `json:"projects"`
}

// CodeHost is the external code host. For the effective branch prefix see Effective.BranchPrefix.
type CodeHost struct {
	Repos            []string `json:"repos"`
	AutoCloseOnMerge bool     `json:"autoCloseOnMerge"`
	BranchPrefix     string   `json:"branchPrefix"`
}

// Notifications says who is notified of inbox items.
type Notifications struct {
	OnApprovalRequested bool      `json:"onApprovalRequested"`
	OnBlockingQuestion  bool      `json:"onBlockingQuestion"`
	OnDivergence        bool      `json:"onDivergence"`
	Channels            []Channel `json:"channels"`
}

// Channel is a way to deliver inbox items.
type Channel struct {
	Type   string   `json:"type"` // exec or webhook
	Target string   `json:"target"`
	Events []string `json:"events"` // empty for every enabled kind
}

// Notices says what is printed along with answers.
type Notices struct {
	Deprecations bool `json:"deprecations"`
}

// AgentDefaults are the values for requests that do not set them.
type AgentDefaults struct {
	Lease             time.Duration `json:"lease,format:units"` // 0 for no expiry
	Actor             string        `json:"actor"`
	Budget            int           `json:"budget"` // 0 for none
	RequireNoteOnDone bool          `json:"requireNoteOnDone"`
}

// Branch names the branches of workspaces. For the effective prefix see Effective.BranchPrefix.
type Branch struct {
	Prefix   string `json:"prefix"`
	Template string `json:"template"`
	Base     string `json:"base"` // "" for the repository's current branch
}

// Auth says who may talk to a server.
type Auth struct {
	Mode string `json:"mode"` // open or session
}
