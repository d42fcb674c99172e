// Package core holds what every operation shares. The operations themselves are in the packages below it, one for each
// purpose: work, planning, people, reading, picture and admin. None of them knows a face or a database: what they need
// from outside comes in through the narrow interfaces that are declared here.
//
// An operation is a method of a service, in one of two forms and no third. A value:
//
//	func (s *Service) Claim(ctx context.Context, in ClaimIn) (task.Claim, error)
//
// and a stream of items, which a fault after the first item ends with an error:
//
//	func (s *Service) Follow(ctx context.Context, in FollowIn) iter.Seq2[task.Event, error]
//
// A write loads, asks the domain to decide, saves, and records the event, in one turn (Write); a read composes its
// answer from one snapshot (Read). Both say with whose rights they run by the Caller in their context, which the face
// puts there. Fields of an input that are tagged `path` come from the route's path, those tagged `query` from its query,
// all others from the body; an input with DecodeBody reads its body itself.
package core
