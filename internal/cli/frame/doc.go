// Package frame is what all commands share.
//
// A Factory gives a command what it needs when it needs it: the configuration, the database or the client of a server
// are opened by the first that asks, and only then. Command makes a command of a Spec; Call, Do and Each carry out
// operations on behalf of who acts; Answer prints the answer as one JSON document or as words.
//
//	func NewNote(f *frame.Factory) *cobra.Command {
//		o := &noteOptions{}
//		return f.Command(frame.Spec{Use: "note ID TEXT", …, Flags: []frame.Flag{frame.Fence(&o.fence)}}, o.run)
//	}
//
// Process is what the operating system gives, and Wiring what the rest of the program offers; both are values, so that
// tests bring their own.
package frame
