// Package frame holds what all commands share.
//
// A Factory gives a command what it needs when it needs it: the configuration, the database or the client of a server
// is opened on first use. Command builds a command from a Spec; Call, Do and Each carry out operations on behalf of the
// actor; Answer prints the answer as one JSON document or as words.
//
//	func NewNote(f *frame.Factory) *cobra.Command {
//		o := &noteOptions{}
//		return f.Command(frame.Spec{Use: "note ID TEXT", …, Flags: []frame.Flag{frame.Fence(&o.fence)}}, o.run)
//	}
//
// Process holds what the operating system provides, and Wiring what the rest of the program provides; both are values,
// so that tests can supply their own.
package frame
