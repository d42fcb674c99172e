package db

// goroutines starts them at once.
type goroutines struct{}

func (goroutines) Go(fn func()) { go fn() }
