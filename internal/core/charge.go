package core

import "context"

type chargeKey struct{}

// WithCharge has reads in the context say how many bytes of records they have loaded, while they load them: the store counts
// what its reads read (Env.Snapshot), so that no read can forget to. An error of charge ends the read: the caller has no room for its answer.
func WithCharge(ctx context.Context, charge func(bytes int64) error) context.Context {
	return context.WithValue(ctx, chargeKey{}, charge)
}

// Uncharged returns the context without that: for what is read after a write, whose answer nothing may refuse, and for what is
// counted otherwise.
func Uncharged(ctx context.Context) context.Context {
	return context.WithValue(ctx, chargeKey{}, nil)
}

func chargeOf(ctx context.Context) func(int64) error {
	charge, _ := ctx.Value(chargeKey{}).(func(int64) error)
	return charge
}

// Charge says that a read has loaded bytes of records, where somebody counts them.
func Charge(ctx context.Context, bytes int64) error {
	if charge := chargeOf(ctx); charge != nil {
		return charge(bytes)
	}
	return nil
}
