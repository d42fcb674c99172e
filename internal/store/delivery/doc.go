// Package delivery reads and writes the deliveries of inbox items, and how far each channel has come.
package delivery

import "tasker/internal/store/tx"

// Reader reads deliveries and channels.
type Reader struct{ *tx.Tx }

// Writer writes deliveries and channels.
type Writer struct{ *tx.Member }
