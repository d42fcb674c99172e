package core

import "context"

// Charge counts bytes of records that were loaded for the caller, where somebody counts them. Its error ends the read.
func Charge(ctx context.Context, bytes int64) error {
	if c := CallerOf(ctx); c.Charge != nil {
		return c.Charge(bytes)
	}
	return nil
}

// Uncharged returns the context with reads that nobody counts: for what is read after a write, whose answer nothing may refuse,
// and for what is counted otherwise.
func Uncharged(ctx context.Context) context.Context {
	c := CallerOf(ctx)
	if c.Charge == nil {
		return ctx
	}
	c.Charge = nil
	return WithCaller(ctx, c)
}
