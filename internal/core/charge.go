package core

import "context"

// Charge counts the bytes of records that were loaded for the caller, if anybody counts them. Its error ends the read.
func Charge(ctx context.Context, bytes int64) error {
	if c := CallerOf(ctx); c.Charge != nil {
		return c.Charge(bytes)
	}
	return nil
}

// Uncharged returns the context with uncounted reads: for reads after a write, whose answer must not be refused, and
// for reads that are counted in another way.
func Uncharged(ctx context.Context) context.Context {
	c := CallerOf(ctx)
	if c.Charge == nil {
		return ctx
	}
	c.Charge = nil
	return WithCaller(ctx, c)
}
