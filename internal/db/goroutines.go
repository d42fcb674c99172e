package db

// goroutines starts functions at once.
type goroutines struct{}

func (goroutines) Go(fn func()) { go fn() }
