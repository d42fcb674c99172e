package db

// Sizes are how many bytes a database takes on this machine's disk.
type Sizes struct {
	File int64
	Log  int64 // what was written last, and not moved into the file yet
}

// sizer is an engine whose files lie on this machine.
type sizer interface{ Sizes() (Sizes, error) }

// Sizes returns the sizes of the database's files; known is false where they lie elsewhere, or cannot be looked at.
func (db *DB) Sizes() (sizes Sizes, known bool) {
	e, ok := db.engine.(sizer)
	if !ok {
		return Sizes{}, false
	}
	sizes, err := e.Sizes()
	return sizes, err == nil
}
