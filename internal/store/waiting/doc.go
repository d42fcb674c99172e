// Package waiting reads what waits for people, and reads and writes what they have put away and how far they have read.
package waiting

import "tasker/internal/store/tx"

// Lister lists what waits for people.
type Lister struct{ *tx.Tx }

// MarkReader reads what readers of the inbox have put away, and how far they have read.
type MarkReader struct{ *tx.Tx }

// MarkWriter writes what readers of the inbox put away, and how far they have read.
type MarkWriter struct{ *tx.Member }
