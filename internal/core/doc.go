// Package core holds what every operation shares. The operations themselves are in the rooms of their features: work,
// planning, inbox, reading, picture, admin and others. None of them knows a face or a database engine: they use
// store.Tx, and what they need from outside comes in through the narrow interfaces that are declared here.
//
// An operation is a method of a service, in one of two forms. A value:
//
//	func (s *Service) Claim(ctx context.Context, in ClaimIn) (task.Claim, error)
//
// and a stream of items, which ends with an error if something fails after the first item:
//
//	func (s *Service) Follow(ctx context.Context, in FollowIn) iter.Seq2[task.Event, error]
//
// A write loads, lets the domain decide, saves, and records the event, in one turn (Write); a read composes its answer
// from one snapshot (Read). Both run with the rights of the Caller in their context, which the face puts there. Fields
// of an input that are tagged `path` come from the route's path, fields tagged `query` from its query, all others from
// the body; an input with DecodeBody reads its body itself.
package core
