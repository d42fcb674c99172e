package frame

// Globals are the flags of every command.
type Globals struct {
	Project  string
	Actor    string
	JSON     bool
	JQ       string // an expression that forms the JSON answer
	Template string // a template that does
	DB       string
	Server   string
	Config   string
	Color    string
	Quiet    bool
	Exact    bool // times as they are, not how long ago
	NoPager  bool
}
