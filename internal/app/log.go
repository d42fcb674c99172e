package app

import (
	"io"
	"log/slog"

	"tasker/internal/fault"
)

// logger returns a server's log: level is TASKER_LOG, format is TASKER_LOG_FORMAT. It refuses unknown names: a server that
// logs less than it should is noticed only when it is too late.
func logger(to io.Writer, level, format string) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelWarn}
	if level != "" {
		var l slog.Level
		if l.UnmarshalText([]byte(level)) != nil {
			return nil, fault.Bad("TASKER_LOG is %q", level).WithHint("debug, info (every request), warn (the default) or error")
		}
		options.Level = l
	}
	switch format {
	case "", "text":
		return slog.New(slog.NewTextHandler(to, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(to, options)), nil
	}
	return nil, fault.Bad("TASKER_LOG_FORMAT is %q", format).WithHint("text (logfmt, the default) or json")
}
