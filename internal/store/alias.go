package store

import "tasker/internal/db"

// Row and Any are db's own, for short.
type Row = db.Row

// Any is the number of rows for statements that may touch any number.
const Any = db.Any
