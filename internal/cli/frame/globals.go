package frame

// globals are the flags of every command.
type globals struct {
	Project string
	Actor   string
	JSON    bool
	DB      string
	Server  string
	Config  string
	Color   *Choice
	Quiet   bool
}
