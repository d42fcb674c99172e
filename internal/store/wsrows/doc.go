// Package wsrows reads and writes where work happens: workspaces with their ports, and where the work on closed tasks is.
package wsrows

import "tasker/internal/store/tx"

// Reader reads workspaces.
type Reader struct{ *tx.Tx }

// Writer writes them, each with its event.
type Writer struct{ *tx.Member }
