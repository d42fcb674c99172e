package db

// Sizes is the space that a database takes on this machine's disk, in bytes.
type Sizes struct {
	File int64
	Log  int64 // what was written last, and is not in the file yet
}

// sizer is an engine whose files are on this machine.
type sizer interface{ Sizes() (Sizes, error) }

// Sizes returns the sizes of the database's files; known is false if they are elsewhere, or cannot be read.
func (db *DB) Sizes() (sizes Sizes, known bool) {
	e, ok := db.engine.(sizer)
	if !ok {
		return Sizes{}, false
	}
	sizes, err := e.Sizes()
	return sizes, err == nil
}
