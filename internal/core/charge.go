package core

import "context"

type chargeKey struct{}

// WithCharge has reads in the context say how many bytes of records they have loaded, while they still have their snapshot,
// of which there are few at once. An error of charge ends the read: the caller has no room for its answer.
func WithCharge(ctx context.Context, charge func(bytes int64) error) context.Context {
	return context.WithValue(ctx, chargeKey{}, charge)
}

// Charge says that a read has loaded bytes of records, where somebody counts them.
func Charge(ctx context.Context, bytes int) error {
	if charge, ok := ctx.Value(chargeKey{}).(func(int64) error); ok {
		return charge(int64(bytes))
	}
	return nil
}
