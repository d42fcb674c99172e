package db

import (
	"path/filepath"
	"testing"
)

func BenchmarkTurnLock(b *testing.B) {
	q, err := openQueue(filepath.Join(b.TempDir(), "x"))
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	for b.Loop() {
		if err := q.Take(b.Context(), Asking{Patience: enough}); err != nil {
			b.Fatal(err)
		}
		q.Give()
	}
}
