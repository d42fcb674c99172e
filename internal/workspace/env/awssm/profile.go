package awssm

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/provider"
)

// profile is a section of the shared files. Settings of the credentials file override those of the
// config file.
type profile struct {
	name     string
	found    bool
	settings map[string]string
}

const maxShared = 1 << 20

// profile reads the profile that the options or the environment name, else default. A named profile
// must exist.
func (m manager) profile(r provider.Request) (profile, error) {
	return readProfile(r, cmp.Or(m.options["profile"], r.First("AWS_PROFILE", "AWS_DEFAULT_PROFILE")))
}

// readProfile reads a profile of the shared files. An empty name means default.
func readProfile(r provider.Request, name string) (profile, error) {
	p := profile{name: cmp.Or(name, "default"), settings: map[string]string{}}
	home := r.First("HOME", "USERPROFILE")
	for _, file := range []struct{ variable, unset, section string }{
		{"AWS_CONFIG_FILE", "config", "profile "}, {"AWS_SHARED_CREDENTIALS_FILE", "credentials", ""}, // the later one wins
	} {
		path := r.First(file.variable)
		if path == "" && home != "" {
			path = filepath.Join(home, ".aws", file.unset)
		} else if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
		if path == "" {
			continue
		}
		sections := []string{file.section + p.name}
		if p.name == "default" {
			sections = append(sections, "default")
		}
		if err := p.read(path, sections); err != nil {
			return profile{}, err
		}
	}
	if name != "" && !p.found {
		return profile{}, fault.Bad("there is no profile %s in the shared AWS files", words.Quoted(name)).
			WithHint("correct options.profile, AWS_PROFILE or source_profile, or create it with aws configure --profile")
	}
	return p, nil
}

// read takes the settings of the given sections from a file in the format of AWS's shared files.
func (p *profile) read(path string, sections []string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Bad("the shared file %s cannot be read", words.Quoted(path)).WithHint("check its permissions")
	}
	defer f.Close()
	in := false
	lines := bufio.NewScanner(io.LimitReader(f, maxShared))
	lines.Buffer(nil, maxShared)
	for lines.Scan() {
		line := lines.Text()
		if nested := strings.TrimLeft(line, " \t") != line; nested { // a nested setting
			continue
		}
		line = strings.TrimSpace(line)
		if section, ok := strings.CutPrefix(line, "["); ok {
			section, _, _ = strings.Cut(section, "]")
			in = slices.Contains(sections, strings.Join(strings.Fields(section), " "))
			p.found = p.found || in
			continue
		}
		if name, value, ok := strings.Cut(line, "="); in && ok && line[0] != '#' && line[0] != ';' {
			value = strings.TrimSpace(value)
			for _, comment := range []string{" #", " ;", "\t#"} {
				value, _, _ = strings.Cut(value, comment)
			}
			p.settings[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
	return nil
}

// own takes the keys in the profile or from its command, if it has either.
func (m manager) own(ctx context.Context, r provider.Request, w *who, p profile) error {
	s := p.settings
	w.from = "the profile " + words.Quoted(p.name)
	w.keys = keys{ID: s["aws_access_key_id"], Secret: s["aws_secret_access_key"], Token: s["aws_session_token"]}
	switch {
	case w.keys.complete():
		return nil
	case w.keys.ID != "" || w.keys.Secret != "":
		return fault.Bad("the profile %s has only one of aws_access_key_id and aws_secret_access_key", words.Quoted(p.name)).WithHint("set both")
	case s["sso_session"] != "" || s["sso_start_url"] != "":
		return unsupported("the profile " + words.Quoted(p.name) + " uses single sign-on")
	case s["credential_process"] != "":
		return m.fromCommand(ctx, r, w, s["credential_process"])
	}
	return nil
}

// fromCommand runs the command for credentials in the user's own file.
func (m manager) fromCommand(ctx context.Context, r provider.Request, w *who, command string) error {
	out, err := m.run.Capture(ctx, provider.Command{Args: []string{"sh", "-c", command}, Dir: r.Root, Env: r.Env})
	if err != nil {
		return err
	}
	if out.ExitCode != 0 {
		return fault.Bad("the credential_process of %s ended with the exit code %d", w.from, out.ExitCode).WithHint("run it by hand to see what it says")
	}
	if w.keys, err = parseKeys([]byte(out.Output), m.client.Time()); err != nil {
		return fault.Bad("the credential_process of %s %s", w.from, err.Error()).
			WithHint("run it by hand; it prints an object with Version, AccessKeyId and SecretAccessKey")
	}
	return nil
}
