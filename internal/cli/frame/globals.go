package frame

// Globals are the flags of every command.
type Globals struct {
	Project string
	Actor   string
	JSON    bool
	DB      string
	Server  string
	Config  string
	Color   *Choice
	Quiet   bool
}
